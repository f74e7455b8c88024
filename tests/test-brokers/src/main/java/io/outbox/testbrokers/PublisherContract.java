package io.outbox.testbrokers;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.AsyncEventListener;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.model.EventStatus;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.testdb.TestDatabase;
import io.outbox.testing.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What every publisher keeps, with its broker behind a {@link TcpProxy}. */
public abstract class PublisherContract {

  private static final int EVENTS = 10_000;
  private static final int EVENTS_PER_SECOND = 290;
  private static final int WRITTEN_LATE = EVENTS / 10; // not before the second cut
  private static final int OTHERS_PER_SECOND = 200;
  private static final double OTHERS_SHARE = 0.8;
  private static final Duration CUT = Duration.ofSeconds(10);
  private static final Duration RECOVERY = Duration.ofSeconds(90);
  private static final Duration END = Duration.ofMinutes(3);

  private static final int KEYS = 20;
  private static final int EVENTS_PER_KEY = 60;
  private static final Duration SHORT_CUT = Duration.ofSeconds(3);

  private static final int LOST = 30;
  private static final int OTHERS = 50;

  enum Mode {
    SINGLE_NODE(Outbox::singleNode),
    MULTI_NODE(() -> Outbox.multiNode().claimLocking(Duration.ofSeconds(30))),
    ORDERED_BY_KEY(Outbox::orderedByKey);

    private final Supplier<Outbox.AbstractBuilder<?>> builder;

    Mode(Supplier<Outbox.AbstractBuilder<?>> builder) {
      this.builder = builder;
    }
  }

  /** The broker, the publisher, and a destination made for one test. */
  protected abstract PublisherFixture open() throws Exception;

  /** Like {@link #open()}, with a destination that keeps the order of a key. */
  protected PublisherFixture openOrdered() throws Exception {
    return open();
  }

  @Test
  void everyEventArrivesThoughTheBrokerIsCutOffTwice() throws Exception {
    everyEventArrives(TcpProxy::cut);
  }

  /** The harder case: connections stay, and no answer comes. */
  @Test
  @Tag("soak")
  void everyEventArrivesThoughTheBrokerFallsSilentTwice() throws Exception {
    everyEventArrives(TcpProxy::freeze);
  }

  private void everyEventArrives(Consumer<TcpProxy> interruption) throws Exception {
    Bystander bystander = new Bystander();
    AtomicInteger acknowledged = new AtomicInteger();
    try (PublisherFixture fixture = open();
        Arrivals arrivals = new Arrivals(fixture);
        RunningOutbox outbox =
            RunningOutbox.on(
                TestDatabase.POSTGRES,
                Outbox.singleNode(),
                new DefaultListenerRegistry()
                    .registerDefaultAsync(counting(fixture.publisher(), acknowledged))
                    .register(Bystander.TYPE, bystander));
        SteadyLoad load =
            new SteadyLoad(outbox, EVENTS_PER_SECOND, EVENTS, WRITTEN_LATE, TestEvents::published);
        SteadyLoad others =
            new SteadyLoad(outbox, OTHERS_PER_SECOND, Integer.MAX_VALUE, Bystander::event)) {
      List<String> cuts = new ArrayList<>();
      List<Double> shares = new ArrayList<>();
      for (int i = 1; i <= 2; i++) {
        int enough = acknowledged.get() + EVENTS / 10;
        Await.until("deliveries before cut " + i, RECOVERY, () -> acknowledged.get() >= enough);
        int first = others.count();
        interruption.accept(fixture.proxy());
        if (i == 2) {
          load.writeTheRest();
        }
        pass(CUT);
        int last = others.count();
        Await.until(
            "others to be delivered during cut " + i,
            RECOVERY,
            () -> bystander.share(first, last) >= OTHERS_SHARE);
        shares.add(bystander.share(first, last));
        int before = acknowledged.get();
        fixture.proxy().restore();
        long restored = System.nanoTime();
        Await.until("deliveries after cut " + i, RECOVERY, () -> acknowledged.get() > before);
        cuts.add("%.1f s".formatted((System.nanoTime() - restored) / 1e9));
      }
      Await.until("all events to be written", END, load::isComplete);
      others.close();
      Await.until("all events to be finished", END, outbox::isFinished);
      arrivals.verify(load.written());
      System.out.printf(
          "%s: %d events in %d messages, at most %d failures of one; delivering %s after a cut;"
              + " others meanwhile %s%n",
          getClass().getSimpleName(),
          EVENTS,
          arrivals.inOrder().size(),
          outbox.maxAttempts(),
          cuts,
          shares.stream().map("%.2f"::formatted).toList());
      assertThat(outbox.counts())
          .as("everything is DONE, nothing DEAD")
          .isEqualTo(Map.of(EventStatus.DONE, EVENTS + others.count()));
    }
  }

  private static AsyncEventListener counting(AsyncEventListener publisher, AtomicInteger done) {
    return event ->
        publisher
            .onEvent(event)
            .whenComplete(
                (result, failure) -> {
                  if (result instanceof DispatchResult.Done) {
                    done.incrementAndGet();
                  }
                });
  }

  @Test
  void whatIsRejectedForGoodIsDeadAtOnceAndTheOthersGoOn() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    try (PublisherFixture fixture = open();
        Arrivals arrivals = new Arrivals(fixture)) {
      EventEnvelope rejected = fixture.rejected();
      DefaultListenerRegistry registry =
          new DefaultListenerRegistry()
              .registerDefaultAsync(
                  event -> {
                    if (event.eventId().equals(rejected.eventId())) {
                      calls.incrementAndGet();
                    }
                    return fixture.publisher().onEvent(event);
                  });
      try (RunningOutbox outbox =
          RunningOutbox.on(TestDatabase.H2, Outbox.singleNode(), registry)) {
        List<EventEnvelope> others = new ArrayList<>();
        for (int n = 0; n < 40; n++) {
          others.add(TestEvents.published(n));
        }
        List<EventEnvelope> all = new ArrayList<>(others);
        all.add(others.size() / 2, rejected);
        outbox.write(all);
        Await.until("all events to be finished", END, outbox::isFinished);
        arrivals.verify(others);
        assertThat(outbox.counts())
            .isEqualTo(Map.of(EventStatus.DONE, others.size(), EventStatus.DEAD, 1));
        assertThat(outbox.errorOf(rejected)).as("the reason").isNotBlank();
        System.out.printf("%s: %s%n", getClass().getSimpleName(), outbox.errorOf(rejected));
        assertThat(calls).as("calls for the rejected event").hasValue(1);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void R25_eventsOfAMissingDestinationWaitUntilItIsThereWhileOthersGoOn(Mode mode)
      throws Exception {
    try (PublisherFixture fixture = open()) {
      WatchedPublisher publisher = new WatchedPublisher(fixture.publisher());
      try (RunningOutbox outbox =
          RunningOutbox.on(
              TestDatabase.H2,
              mode.builder.get(),
              new DefaultListenerRegistry().registerDefaultAsync(publisher))) {
        outbox.write(TestEvents.many(PublisherFixture.NOWHERE, LOST));
        Await.until("the destination to be missed", RECOVERY, () -> publisher.outages() > 0);
        for (int round = 1; round <= 3; round++) {
          int delivered = round * OTHERS;
          outbox.write(TestEvents.many(TestEvents.PUBLISHED, OTHERS));
          Await.until("others to be delivered", RECOVERY, () -> publisher.done() >= delivered);
        }
        Await.until(
            "the outcomes of others",
            RECOVERY,
            () -> outbox.counts().getOrDefault(EventStatus.DONE, 0) == 3 * OTHERS);
        assertThat(outbox.counts())
            .isEqualTo(Map.of(EventStatus.NEW, LOST, EventStatus.DONE, 3 * OTHERS));
        assertThat(publisher.outagesOfOthers()).as("outages of anything else").isZero();

        fixture.missing().create();
        Await.until("all events to be finished", END, outbox::isFinished);
        assertThat(outbox.counts()).isEqualTo(Map.of(EventStatus.DONE, LOST + 3 * OTHERS));
        assertThat(outbox.maxAttempts()).as("attempts").isZero();
        assertThat(fixture.missing().arrived()).isGreaterThanOrEqualTo(LOST);
      }
    }
  }

  @Test
  void theOrderOfAKeyHoldsThroughACut() throws Exception {
    int total = KEYS * EVENTS_PER_KEY;
    try (PublisherFixture fixture = openOrdered();
        Arrivals arrivals = new Arrivals(fixture);
        RunningOutbox outbox =
            RunningOutbox.on(
                TestDatabase.H2,
                Outbox.orderedByKey(),
                new DefaultListenerRegistry().registerDefaultAsync(fixture.publisher()));
        SteadyLoad load =
            new SteadyLoad(
                outbox, total / 5, total, n -> TestEvents.ofKey("key-" + n % KEYS, n / KEYS))) {
      Await.until("deliveries", RECOVERY, () -> arrivals.count() >= total / 5);
      fixture.proxy().cut();
      pass(SHORT_CUT);
      fixture.proxy().restore();
      Await.until("all events to be written", END, load::isComplete);
      Await.until("all events to be finished", END, outbox::isFinished);
      arrivals.verify(load.written());
      assertThat(outbox.counts()).isEqualTo(Map.of(EventStatus.DONE, total));
      assertOrdered(arrivals.inOrder());
    }
  }

  /** A message may come again, but not after the next one of its key. */
  private static void assertOrdered(List<ReceivedMessage> messages) {
    Map<String, Integer> last = new HashMap<>();
    for (ReceivedMessage message : messages) {
      String key = message.header("outbox-aggregate-id");
      int n = Integer.parseInt(message.header(TestEvents.SEQUENCE));
      int before = last.getOrDefault(key, -1);
      assertThat(n).as("what follows %d of %s", before, key).isBetween(before, before + 1);
      last.put(key, n);
    }
  }

  private static void pass(Duration time) {
    long end = System.nanoTime() + time.toNanos();
    Await.until("the end of a cut", time.plusSeconds(60), () -> System.nanoTime() - end > 0);
  }
}
