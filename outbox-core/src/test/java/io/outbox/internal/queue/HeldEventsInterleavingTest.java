package io.outbox.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.fakes.Events;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Runs the commit callback of one event, two polls that may see its row, and the workers that
 * deliver it, in every order in which their steps can mix.
 */
class HeldEventsInterleavingTest {

  private static final EventEnvelope EVENT = Events.event("e");

  /** One actor's steps, in order; a step says whether it can be taken now. */
  private interface Actor {
    boolean isDone();

    default boolean isBlocked() {
      return false;
    }

    void step();
  }

  private static final class World {
    private final HeldEvents held = new HeldEvents();
    private final List<Delivery> queue = new ArrayList<>();
    private final List<Actor> actors = new ArrayList<>();
    private boolean pending = true; // the row, committed from the start
    private int delivered;

    private World() {
      held.openTicket(EVENT, null);
      actors.add(new Callback());
      actors.add(new Poller(2));
      actors.add(new Worker());
      actors.add(new Worker());
    }

    private final class Callback implements Actor {
      private int at;
      private HeldEvents.Ticket ticket;

      @Override
      public boolean isDone() {
        return at == 2;
      }

      @Override
      public void step() {
        if (at++ == 0) {
          ticket = held.endTicket(EVENT);
        } else {
          Delivery delivery = Delivery.ofCommitted(EVENT, null);
          if (held.holdCommitted(ticket, delivery)) {
            queue.add(delivery);
          }
        }
      }
    }

    private final class Poller implements Actor {
      private final int polls;
      private int at;
      private boolean seen;

      private Poller(int polls) {
        this.polls = polls;
      }

      @Override
      public boolean isDone() {
        return at == 4 * polls;
      }

      @Override
      public void step() {
        switch (at++ % 4) {
          case 0 -> held.pollStarted();
          case 1 -> seen = pending;
          case 2 -> {
            Delivery delivery = Delivery.ofRow(Events.row("e"), EVENT);
            if (seen && held.holdPolled(delivery)) {
              queue.add(delivery);
            }
          }
          default -> held.pollFinished();
        }
      }
    }

    /** Delivers one event, if there is one before everybody else is done. */
    private final class Worker implements Actor {
      private int at;
      private Delivery delivery;

      @Override
      public boolean isDone() {
        return at == 3 || at == 0 && queue.isEmpty() && othersAreDone();
      }

      @Override
      public boolean isBlocked() {
        return at == 0 && queue.isEmpty();
      }

      @Override
      public void step() {
        switch (at++) {
          case 0 -> {
            delivery = queue.remove(0);
            delivered++;
          }
          case 1 -> pending = false; // its outcome is committed
          default -> held.release(delivery);
        }
      }

      private boolean othersAreDone() {
        return actors.get(0).isDone() && actors.get(1).isDone();
      }
    }
  }

  private int orders;

  @Test
  void R3_inEveryOrderOfCommitCallbackAndPollsAnEventIsDeliveredOnce() {
    explore(new ArrayList<>());
    System.out.println("HeldEventsInterleavingTest tried " + orders + " orders");
    assertThat(orders).isGreaterThan(1_000);
  }

  /** Depth first: replays {@code choices}, then tries each actor that can go on. */
  private void explore(List<Integer> choices) {
    World world = new World();
    choices.forEach(choice -> world.actors.get(choice).step());
    boolean ended = true;
    for (int i = 0; i < world.actors.size(); i++) {
      Actor actor = world.actors.get(i);
      if (!actor.isDone() && !actor.isBlocked()) {
        ended = false;
        choices.add(i);
        explore(choices);
        choices.remove(choices.size() - 1);
      }
    }
    if (ended) {
      orders++;
      assertThat(world.delivered).as("deliveries in the order %s", choices).isEqualTo(1);
      assertThat(world.held.size()).as("held after the order %s", choices).isZero();
    }
  }
}
