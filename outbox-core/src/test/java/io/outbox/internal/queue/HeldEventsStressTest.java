package io.outbox.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.fakes.Events;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Writers, a poller and workers on one {@link HeldEvents}, against a model of the table: an event
 * is delivered once if it was committed, and never if it was not.
 */
class HeldEventsStressTest {

  private static final int WRITERS = 4;
  private static final int EVENTS_PER_WRITER = 1_000;

  private final Map<String, Boolean> pending = new ConcurrentHashMap<>(); // the table
  private final Map<String, AtomicInteger> delivered = new ConcurrentHashMap<>();
  private final Map<String, Boolean> committed = new ConcurrentHashMap<>();
  private final ConcurrentLinkedQueue<Delivery> queue = new ConcurrentLinkedQueue<>();
  private final AtomicInteger untrusted = new AtomicInteger();
  private final AtomicBoolean written = new AtomicBoolean();
  private final AtomicBoolean delivering = new AtomicBoolean(true);

  @ParameterizedTest(name = "{0} endings remembered")
  @ValueSource(ints = {10_000, 20})
  void R3_eachCommittedEventIsHeldOnceWhoeverComesFirst(int remembered) throws Exception {
    long seed = System.nanoTime();
    System.out.println("HeldEventsStressTest seed " + seed + ", remembered " + remembered);
    HeldEvents held = new HeldEvents(ticket -> {}, TimeUnit.HOURS.toNanos(1), remembered);
    ExecutorService threads = Executors.newCachedThreadPool();
    try {
      List<Future<?>> writers = new ArrayList<>();
      for (int i = 0; i < WRITERS; i++) {
        Random random = new Random(seed + i);
        String prefix = "w" + i + "-";
        writers.add(threads.submit(() -> write(held, prefix, random)));
      }
      Future<?> poller = threads.submit(() -> poll(held, new Random(seed - 1)));
      List<Future<?>> workers = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        Random random = new Random(seed + 100 + i);
        workers.add(threads.submit(() -> work(held, random)));
      }
      for (Future<?> writer : writers) {
        writer.get(40, TimeUnit.SECONDS);
      }
      written.set(true);
      poller.get(40, TimeUnit.SECONDS);
      delivering.set(false);
      for (Future<?> worker : workers) {
        worker.get(40, TimeUnit.SECONDS);
      }
    } finally {
      threads.shutdownNow();
    }

    assertThat(delivered.keySet()).isEqualTo(committed.keySet());
    assertThat(delivered.values()).allSatisfy(count -> assertThat(count).hasValue(1));
    assertThat(pending).isEmpty();
    assertThat(held.size()).isZero();
  }

  private void write(HeldEvents held, String prefix, Random random) {
    for (int i = 0; i < EVENTS_PER_WRITER; i++) {
      EventEnvelope event = Events.event(prefix + i);
      held.openTicket(event, null);
      if (random.nextInt(10) == 0) {
        rollBackAndWriteAgain(held, event, random);
      } else {
        commit(held, event, random);
      }
    }
  }

  /** The id is used again by another transaction, before or after the first one's callback. */
  private void rollBackAndWriteAgain(HeldEvents held, EventEnvelope event, Random random) {
    boolean late = random.nextBoolean();
    if (!late) {
      held.forget(held.endTicket(event));
    }
    if (random.nextBoolean()) {
      EventEnvelope again = Events.event(event.eventId());
      held.replaceTicket(again);
      commit(held, again, random);
    }
    HeldEvents.Ticket ticket = late ? held.endTicket(event) : null;
    if (ticket != null) {
      held.forget(ticket);
    }
  }

  private void commit(HeldEvents held, EventEnvelope event, Random random) {
    committed.put(event.eventId(), true);
    pending.put(event.eventId(), true);
    pause(random);
    HeldEvents.Ticket ticket = held.endTicket(event);
    pause(random);
    Delivery delivery = Delivery.ofCommitted(event, null);
    if (ticket != null && held.holdCommitted(ticket, delivery)) {
      if (random.nextInt(20) == 0) {
        held.release(delivery); // no room in the hot queue
      } else {
        queue.add(delivery);
      }
    }
  }

  private void poll(HeldEvents held, Random random) {
    boolean again = true;
    while (again) {
      again = !written.get() || !pending.isEmpty();
      held.pollStarted();
      List<String> snapshot = pending.keySet().stream().limit(50).toList();
      pause(random);
      for (String id : snapshot) {
        Delivery delivery = Delivery.ofRow(Events.row(id), Events.event(id));
        if (held.holdPolled(delivery)) {
          if (random.nextInt(20) == 0) {
            held.release(delivery); // no room in the cold queue
          } else {
            queue.add(delivery);
          }
        }
      }
      if (!held.pollFinished()) {
        untrusted.incrementAndGet();
      }
    }
  }

  private void work(HeldEvents held, Random random) {
    while (delivering.get() || !queue.isEmpty()) {
      Delivery delivery = queue.poll();
      if (delivery == null) {
        Thread.onSpinWait();
        continue;
      }
      delivered.computeIfAbsent(delivery.eventId(), id -> new AtomicInteger()).incrementAndGet();
      pause(random);
      pending.remove(delivery.eventId());
      pause(random);
      held.release(delivery);
    }
  }

  private static void pause(Random random) {
    if (random.nextInt(4) == 0) {
      Thread.yield();
    }
  }
}
