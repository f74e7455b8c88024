package io.outbox.internal.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.fakes.Events;
import io.outbox.internal.queue.Delivery;
import io.outbox.model.EventRoute;
import io.outbox.policy.ListenerPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class GateTest {

  private static final EventRoute ROUTE = EventRoute.of(Events.event("any"));

  private final List<String> again = new ArrayList<>();
  private final List<Delivery> handed = new ArrayList<>();
  private final List<Runnable> timed = new ArrayList<>();
  private long nextNanos;
  private int changes;
  private boolean oneListener = true;
  private long now = Long.MAX_VALUE - 5; // it may overflow at any time
  private final WaitingRoom room = new WaitingRoom(100_000);

  private final class Around implements Gate.Surroundings<Delivery> {
    @Override
    public void again(Delivery delivery) {
      handed.add(delivery);
      again.add(delivery.eventId());
    }

    @Override
    public boolean canBeLeft(EventRoute route) {
      return oneListener;
    }

    @Override
    public void after(long nanos, Runnable task) {
      nextNanos = nanos;
      timed.add(task);
    }

    @Override
    public void heldBackChanged() {
      changes++;
    }
  }

  private Gate<Delivery> gate(ListenerPolicy.Builder policy) {
    return new Gate<>(policy.build(), room, () -> now, new Around());
  }

  private Gate<Delivery> bulkhead(int places) {
    return gate(ListenerPolicy.builder().concurrency(places));
  }

  /** As a worker has it. */
  private static Delivery delivery(String id) {
    Delivery delivery = Delivery.ofCommitted(Events.event(id), null);
    delivery.start();
    return delivery;
  }

  private static Delivery entered(Gate<Delivery> gate, String id) {
    Delivery delivery = delivery(id);
    assertThat(gate.enter(delivery)).isTrue();
    return delivery;
  }

  private static boolean waits(Gate<Delivery> gate, String id) {
    Delivery delivery = delivery(id);
    assertThat(gate.enter(delivery)).isFalse();
    return gate.park(delivery);
  }

  @Test
  void R24_itSaysWhatEventsWaitFor() {
    Gate<Delivery> places = bulkhead(2);
    entered(places, "a");
    Delivery second = entered(places, "b");
    assertThat(places.busy("x")).isNull();
    waits(places, "c");
    now += 7;
    assertThat(places.busy("x").what("Mails")).isEqualTo("a place of listener Mails (2 at a time)");
    assertThat(places.busy("x"))
        .extracting(Busy::nanos, Busy::routes)
        .containsExactly(7L, List.of(ROUTE));
    second.left();
    assertThat(places.busy("x")).isNull();

    Gate<Delivery> rate = gate(ListenerPolicy.builder().rateLimit(1, Duration.ofMinutes(1)));
    entered(rate, "d");
    waits(rate, "e");
    assertThat(rate.busy("x").what("Mails"))
        .isEqualTo("the rate limit of listener Mails (1 in PT1M)");
  }

  @Test
  void soManyEnterAsThereArePlaces() {
    Gate<Delivery> gate = bulkhead(2);
    Delivery first = entered(gate, "a");
    entered(gate, "b");

    assertThat(gate.enter(delivery("c"))).isFalse();
    first.left();
    first.left();
    entered(gate, "d");
    assertThat(gate.enter(delivery("e"))).isFalse();
  }

  @Test
  void whoWaitsGetsThePlaceOfWhoLeavesInOrder() {
    Gate<Delivery> gate = bulkhead(1);
    Delivery running = entered(gate, "a");
    assertThat(waits(gate, "b")).isTrue();
    assertThat(waits(gate, "c")).isTrue();

    running.left();

    assertThat(again).containsExactly("b");
    assertThat(handed.get(0).start()).isTrue();
    assertThat(gate.enter(handed.get(0))).isTrue();
    assertThat(gate.enter(delivery("newcomer"))).isFalse();
    handed.get(0).left();
    assertThat(again).containsExactly("b", "c");
    assertThat(room.events()).isZero();
  }

  @Test
  void aPlaceThatBecameFreeMeanwhileIsTakenAtOnce() {
    Gate<Delivery> gate = bulkhead(1);
    Delivery running = entered(gate, "a");
    Delivery second = delivery("b");
    assertThat(gate.enter(second)).isFalse();
    running.left();

    assertThat(gate.park(second)).isTrue();

    assertThat(again).containsExactly("b");
  }

  @Test
  void whoDoesNotComeToTheListenerAfterAllLeavesItsPlaceToTheNext() {
    Gate<Delivery> gate = bulkhead(1);
    Delivery running = entered(gate, "a");
    waits(gate, "b");
    waits(gate, "c");
    running.left();

    handed.get(0).left(); // paused or dropped before its call

    assertThat(again).containsExactly("b", "c");
  }

  @Test
  void R13_soManyWaitAndThenTheirRouteIsNotWorthReadingUntilHalfOfThemAreGone() {
    Gate<Delivery> gate = bulkhead(1);
    Delivery running = entered(gate, "running");
    for (int i = 0; i < RoomSize.FIRST_GUESS; i++) {
      assertThat(gate.heldBack()).isEmpty();
      assertThat(waits(gate, "e" + i)).isTrue();
    }
    assertThat(gate.heldBack()).containsExactly(ROUTE);
    Delivery tooMany = delivery("too many");
    assertThat(gate.park(tooMany)).isFalse();
    assertThat(gate.holdsBack(tooMany)).isTrue();
    assertThat(changes).isOne();

    running.left();
    for (int i = 0; i < RoomSize.FIRST_GUESS / 2 - 1; i++) {
      assertThat(gate.heldBack()).containsExactly(ROUTE);
      handed.get(i).left();
    }

    assertThat(gate.heldBack()).isEmpty();
    assertThat(changes).isEqualTo(2);
  }

  @Test
  void aRoomThatIsFullAndThenEmptyBeforeOthersComeGrows() {
    Gate<Delivery> gate = bulkhead(1);
    Delivery running = entered(gate, "running");
    for (int i = 0; i < RoomSize.FIRST_GUESS; i++) {
      waits(gate, "e" + i);
    }
    running.left();
    for (int i = 0; i < RoomSize.FIRST_GUESS - 1; i++) {
      handed.get(i).left();
    }

    for (int i = 0; i < 2 * RoomSize.FIRST_GUESS; i++) {
      assertThat(waits(gate, "f" + i)).isTrue();
    }
    assertThat(waits(gate, "too many")).isFalse();
  }

  @Test
  void theRoomIsForTwoSecondsOfWork() {
    Gate<Delivery> gate = bulkhead(1);
    Delivery running = entered(gate, "running");
    waits(gate, "a");
    waits(gate, "b");
    now += TimeUnit.SECONDS.toNanos(10);
    running.left(); // took ten seconds
    assertThat(gate.heldBack()).isEmpty();
    assertThat(waits(gate, "c")).isFalse();
    assertThat(gate.heldBack()).containsExactly(ROUTE);
  }

  @Test
  void R13_theBytesOfAllWhoWaitAreBounded() {
    Gate<Delivery> gate = bulkhead(1);
    Gate<Delivery> other = bulkhead(1);
    entered(gate, "running");
    entered(other, "running, too");
    assertThat(gate.park(large("a"))).isTrue();
    assertThat(gate.park(large("b"))).isFalse();
    assertThat(other.park(large("c"))).isTrue(); // one always fits
    assertThat(other.park(large("d"))).isFalse();
  }

  private static Delivery large(String id) {
    Delivery delivery = Delivery.ofCommitted(Events.eventOfSize(id, 80_000), null);
    delivery.start();
    return delivery;
  }

  @Test
  void routesWithSeveralListenersAreNotHeldBack() {
    oneListener = false;
    Gate<Delivery> gate = bulkhead(1);
    entered(gate, "running");
    for (int i = 0; i < RoomSize.FIRST_GUESS; i++) {
      waits(gate, "e" + i);
    }
    Delivery tooMany = delivery("too many");

    assertThat(gate.park(tooMany)).isFalse();
    assertThat(gate.holdsBack(tooMany)).isFalse();
    assertThat(changes).isZero();
  }

  @Test
  void soManyStartInAnyPeriodAsTheRateAllows() {
    Gate<Delivery> gate = gate(ListenerPolicy.builder().rateLimit(2, Duration.ofNanos(100)));
    entered(gate, "a").left();
    now += 60;
    entered(gate, "b").left();
    assertThat(waits(gate, "c")).isTrue();
    assertThat(waits(gate, "d")).isTrue();
    assertThat(timed).hasSize(1); // one look for both
    assertThat(nextNanos).isEqualTo(40);

    now += 40;
    timed.get(0).run();

    assertThat(again).containsExactly("c");
    assertThat(timed).hasSize(2);
    assertThat(nextNanos).isEqualTo(60);
    now += 60;
    timed.get(1).run();
    assertThat(again).containsExactly("c", "d");
    assertThat(timed).hasSize(2);
  }

  @Test
  void R15_nothingWaitsInAClosedGate() {
    Gate<Delivery> gate = bulkhead(1);
    Delivery running = entered(gate, "running");
    waits(gate, "a");

    assertThat(gate.close()).extracting(Delivery::eventId).containsExactly("a");

    running.left();
    assertThat(again).isEmpty();
    assertThat(gate.park(delivery("b"))).isFalse();
    assertThat(gate.heldBack()).isEmpty();
    assertThat(room.events()).isZero();
  }
}
