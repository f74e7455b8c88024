package io.outbox.poller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.awaitility.Awaitility.await;

import io.outbox.EventEnvelope;
import io.outbox.fakes.CapturedLogs;
import io.outbox.fakes.Events;
import io.outbox.fakes.FakeDatabase;
import io.outbox.fakes.FakeStore;
import io.outbox.fakes.ManualClock;
import io.outbox.fakes.RecordingMetrics;
import io.outbox.internal.poll.PollCycle;
import io.outbox.internal.store.LagReport;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.Backlog;
import io.outbox.spi.JsonCodec;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.PendingQuery;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The poller with a handler of the user's own. */
class OutboxPollerTest {

  private final ManualClock clock = new ManualClock();
  private final FakeDatabase database = new FakeDatabase();
  private final FakeStore store = new FakeStore(database, clock);
  private final RecordingMetrics metrics = new RecordingMetrics();
  private final List<String> handled = new CopyOnWriteArrayList<>();
  private OutboxPoller poller;

  private final OutboxPollerHandler handler = (event, attempts) -> handled.add(event.eventId());

  private OutboxPoller.Builder settings() {
    return OutboxPoller.builder()
        .connectionProvider(database)
        .outboxStore(store)
        .handler(handler)
        .metrics(metrics)
        .clock(clock);
  }

  @AfterEach
  void close() {
    JsonCodec.setDefault(null);
    if (poller != null) {
      poller.close();
    }
    assertThat(database.openConnections()).isZero();
    assertThat(database.statesAtClose()).doesNotContain("in transaction");
  }

  private void seed(int count) {
    Events.events("e", count).forEach(store::seed);
  }

  private void pollOnce(OutboxPoller.Builder builder) {
    poller = builder.build();
    poller.poll();
  }

  @Test
  void batchesGrowAgainAfterOneThatDidNotFitIntoMemory() {
    AtomicInteger polls = new AtomicInteger();
    List<Integer> limits = new CopyOnWriteArrayList<>();
    store.before(
        "fetchPending",
        query -> {
          limits.add(((PendingQuery) query).limit());
          if (polls.incrementAndGet() == 1) {
            throw new OutOfMemoryError("Java heap space");
          }
        });
    poller = settings().batchSize(Integer.MAX_VALUE).intervalMs(1).build();
    poller.start();

    await().until(() -> limits.size() > 40);
    poller.close();
    assertThat(limits).startsWith(Integer.MAX_VALUE, 1, 2, 4, 8).contains(1 << 30);
    assertThat(limits.subList(35, 40)).containsOnly(Integer.MAX_VALUE);
  }

  // ---- one cycle

  @Test
  void aPollIsOneBatchOldestFirst() {
    seed(70);
    pollOnce(settings());

    assertThat(handled).hasSize(50).startsWith("e0", "e1", "e2").endsWith("e49");
    assertThat(store.calls("fetchPending")).isEqualTo(1);
  }

  @Test
  void theHandlerGetsTheAttempts() {
    AtomicInteger got = new AtomicInteger();
    store.seed(Events.event("e"), row -> row.attempts = 3);
    pollOnce(
        settings()
            .handler(
                (event, attempts) -> {
                  got.set(attempts);
                  return true;
                }));

    assertThat(got).hasValue(3);
  }

  @Test
  void R8_theHandlerGetsTheEventAsItIsStored() {
    AtomicReference<EventEnvelope> got = new AtomicReference<>();
    store.seed(
        EventEnvelope.builder("Placed")
            .eventId("e")
            .occurredAt(Events.CREATED)
            .aggregateType("Order")
            .aggregateId("7")
            .tenantId("t")
            .payloadJson(" { \"b\" : 1, \"a\" : 2 } ")
            .build());
    pollOnce(
        settings()
            .handler(
                (event, attempts) -> {
                  got.set(event);
                  return true;
                }));

    assertThat(got.get().eventType()).isEqualTo("Placed");
    assertThat(got.get().aggregateType()).isEqualTo("Order");
    assertThat(got.get().aggregateId()).isEqualTo("7");
    assertThat(got.get().tenantId()).isEqualTo("t");
    assertThat(got.get().payloadJson()).isEqualTo(" { \"b\" : 1, \"a\" : 2 } ");
  }

  @Test
  void whatIsNotDueOrTooRecentIsLeftOut() {
    store.seed(Events.event("due"));
    store.seed(Events.event("later"), row -> row.availableAt = clock.instant().plusMillis(1));
    store.seed(Events.event("recent"), row -> row.createdAt = clock.instant().minusSeconds(1));
    store.seed(Events.event("done"), row -> row.status = EventStatus.DONE);
    store.seed(Events.event("retry"), row -> row.status = EventStatus.RETRY);
    pollOnce(settings().skipRecent(Duration.ofSeconds(2)));

    assertThat(handled).containsExactly("due", "retry");
  }

  @Test
  void theHandlersCapacityBoundsTheBatch() {
    seed(10);
    AtomicInteger capacity = new AtomicInteger(3);
    pollOnce(
        settings()
            .handler(
                new OutboxPollerHandler() {
                  @Override
                  public boolean handle(EventEnvelope event, int attempts) {
                    return handled.add(event.eventId());
                  }

                  @Override
                  public int availableCapacity() {
                    return capacity.get();
                  }
                }));
    assertThat(handled).hasSize(3);

    capacity.set(0);
    poller.poll();
    assertThat(handled).hasSize(3);
    assertThat(store.calls("fetchPending")).as("without room nobody is asked").isEqualTo(1);
  }

  @Test
  void aRefusalEndsTheCycle() {
    seed(10);
    pollOnce(settings().handler((event, attempts) -> handled.add(event.eventId()) && false));

    assertThat(handled).containsExactly("e0");
  }

  @Test
  void theLagOfTheOldestIsReported() {
    store.seed(Events.event("e"), row -> row.availableAt = clock.instant().minusSeconds(90));
    pollOnce(settings());
    assertThat(metrics.lagMs()).isEqualTo(90_000);

    database.delete("e");
    poller.poll();
    assertThat(metrics.lagMs()).isZero();
  }

  @Test
  void R24_theLagIsThatOfTheTableIfTheStoreCanTell() {
    store.seed(Events.event("e"), row -> row.availableAt = clock.instant().minusSeconds(3));
    store.tells(new Backlog(Map.of(), 1, clock.instant().minusSeconds(90)));
    pollOnce(settings());
    assertThat(metrics.lagMs()).isEqualTo(90_000);

    store.tells(new Backlog(Map.of(), 1, clock.instant().plusSeconds(90)));
    poller.poll();
    assertThat(metrics.lagMs()).as("nothing is due").isZero();
  }

  @Test
  void aLagThatCannotBeReadKeepsNoEventFromDelivery() {
    store.before(
        "backlog",
        cap -> {
          throw new IllegalStateException("injected");
        });
    seed(1);
    pollOnce(settings());
    assertThat(handled).hasSize(1);
    assertThat(CapturedLogs.of(LagReport.class, Level.WARNING)).hasSize(1);
  }

  @Test
  void withoutMetricsNobodyLooksForTheLag() {
    pollOnce(settings().metrics(MetricsExporter.NOOP));
    assertThat(store.calls("backlog")).isZero();
  }

  @Test
  void aFailureIsLoggedAndNotThrown() {
    store.before(
        "fetchPending",
        query -> {
          throw new IllegalStateException("injected");
        });
    pollOnce(settings());

    assertThat(CapturedLogs.of(OutboxPoller.class, Level.SEVERE)).hasSize(1);
  }

  // ---- claims

  @Test
  void withClaimLockingWhatIsHandedOverIsLeased() {
    seed(2);
    pollOnce(settings().claimLocking("poller-1", Duration.ofMinutes(5)));

    assertThat(handled).hasSize(2);
    assertThat(store.row("e0").lease().owner()).startsWith("poller-1");
    assertThat(store.row("e0").lease().lockedAt()).isEqualTo(clock.instant());
    poller.poll();
    assertThat(handled).as("an unexpired lease excludes its owner, too").hasSize(2);
    clock.advance(Duration.ofMinutes(5).plusMillis(1));
    poller.poll();
    assertThat(handled).hasSize(4);
  }

  @Test
  void withClaimLockingARefusalReleasesTheRest() {
    seed(5);
    pollOnce(
        settings()
            .claimLocking("poller-1", Duration.ofMinutes(5))
            .handler((event, attempts) -> handled.size() < 2 && handled.add(event.eventId())));

    assertThat(handled).containsExactly("e0", "e1");
    assertThat(store.row("e1").lease()).isNotNull();
    for (String id : List.of("e2", "e3", "e4")) {
      assertThat(store.row(id).lease()).as(id).isNull();
      assertThat(store.row(id).claims()).as(id).isZero();
    }
  }

  @Test
  void withClaimLockingAHandlerThatThrowsReleasesTheRest() {
    seed(3);
    pollOnce(
        settings()
            .claimLocking("poller-1", Duration.ofMinutes(5))
            .handler(
                (event, attempts) -> {
                  if (event.eventId().equals("e1")) {
                    throw new IllegalStateException("injected");
                  }
                  return handled.add(event.eventId());
                }));

    assertThat(store.row("e0").lease()).isNotNull();
    assertThat(store.row("e1").lease()).isNull();
    assertThat(store.row("e2").lease()).isNull();
    assertThat(CapturedLogs.of(OutboxPoller.class, Level.SEVERE)).hasSize(1);
  }

  @Test
  void R1_aConnectionThatFailsToCloseAfterTheClaimForgetsNoRow() {
    seed(3);
    database.onClose =
        () -> {
          throw new java.sql.SQLException("broken", "08006");
        };
    pollOnce(settings().claimLocking("poller-1", Duration.ofMinutes(5)));

    assertThat(handled).containsExactly("e0", "e1", "e2");
  }

  @Test
  void R1_leasesThatCannotBeGivenBackHoldUpNoPoll() {
    seed(2);
    store.before(
        "releaseLeases",
        leases -> {
          throw new IllegalStateException("injected");
        });
    AtomicInteger calls = new AtomicInteger();
    pollOnce(
        settings()
            .claimLocking("poller-1", Duration.ofMinutes(5))
            .handler(
                (event, attempts) -> calls.incrementAndGet() > 1 && handled.add(event.eventId())));
    assertThat(handled).isEmpty();
    store.seed(Events.event("next"));
    poller.poll();

    assertThat(handled).containsExactly("next");
  }

  // ---- rows that cannot be read

  private abstract static class Codec implements JsonCodec {
    @Override
    public String toJson(Object obj) {
      throw new UnsupportedOperationException();
    }
  }

  static Stream<Throwable> whatCodecsThrow() {
    return Stream.of(new IllegalArgumentException("injected"), new StackOverflowError("deep"));
  }

  @ParameterizedTest
  @MethodSource("whatCodecsThrow")
  void aRowThatCannotBeDecodedIsDeadAndTheNextIsHandled(Throwable thrown) {
    JsonCodec.setDefault(throwing(thrown));
    store.seed(Events.event("bad"), row -> row.headersJson = "{");
    store.seed(Events.event("good"));
    pollOnce(settings());

    assertThat(store.status("bad")).isEqualTo(EventStatus.DEAD);
    assertThat(store.row("bad").lastError()).startsWith("cannot be read");
    assertThat(handled).containsExactly("good");
    assertThat(CapturedLogs.of(PollCycle.class, Level.SEVERE)).hasSize(1);
  }

  @Test
  void R1_aCodecThatCannotBeLoadedKillsNoEventAndHoldsUpNoOther() {
    JsonCodec.setDefault(throwing(new NoClassDefFoundError("injected")));
    store.seed(Events.event("waits"), row -> row.headersJson = "{}");
    store.seed(Events.event("good"));
    pollOnce(settings().claimLocking("poller-1", Duration.ofMinutes(5)));

    assertThat(store.status("waits")).isEqualTo(EventStatus.NEW);
    assertThat(store.row("waits").lease()).as("another node may have one").isNull();
    assertThat(handled).containsExactly("good");
    assertThat(CapturedLogs.of(PollCycle.class, Level.SEVERE)).hasSize(1);
  }

  private static JsonCodec throwing(Throwable thrown) {
    return new Codec() {
      @Override
      public <T> T fromJson(String json, Class<T> type) {
        if (thrown instanceof Error error) {
          throw error;
        }
        throw (RuntimeException) thrown;
      }
    };
  }

  // ---- on its own thread

  @Test
  void aHandlerOfOnesOwnGetsOneBatchPerInterval() {
    seed(500);
    poller = settings().batchSize(10).intervalMs(60_000).build();
    poller.start();

    await().until(() -> handled.size() == 10);
    await()
        .during(Duration.ofMillis(200))
        .until(() -> handled.size() == 10 && store.calls("fetchPending") == 1);
  }

  @Test
  void itPollsAgainAfterTheInterval() {
    poller = settings().intervalMs(10).build();
    poller.start();
    await().until(() -> store.calls("fetchPending") >= 3);
    store.seed(Events.event("e"));

    await().until(() -> handled.contains("e"));
  }

  @Test
  void R1_aHandlerThatThrowsAnErrorDoesNotEndThePoller() {
    AtomicInteger calls = new AtomicInteger();
    store.seed(Events.event("e"));
    poller =
        settings()
            .intervalMs(10)
            .handler(
                (event, attempts) -> {
                  if (calls.incrementAndGet() <= 2) {
                    throw new StackOverflowError("injected");
                  }
                  return handled.add(event.eventId());
                })
            .build();
    poller.start();

    await().until(() -> handled.contains("e"));
  }

  @Test
  void R1_aStrayInterruptDoesNotEndThePoller() {
    poller = settings().intervalMs(60_000).build();
    poller.start();
    await().until(() -> store.calls("fetchPending") == 1);
    Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("outbox-poller-"))
        .forEach(Thread::interrupt);

    await().until(() -> store.calls("fetchPending") >= 2);
  }

  @Test
  void startingAgainDoesNothing() {
    poller = settings().intervalMs(60_000).build();
    poller.start();
    poller.start();

    await().until(() -> store.calls("fetchPending") == 1);
    await() // those of other tests may still be ending
        .untilAsserted(
            () ->
                assertThat(
                        Thread.getAllStackTraces().keySet().stream()
                            .filter(thread -> thread.getName().startsWith("outbox-poller-")))
                    .hasSize(1));
  }

  @Test
  void R15_aClosedPollerNeitherPollsNorStarts() {
    seed(1);
    poller = settings().build();
    poller.close();
    poller.close();
    poller.poll();

    assertThat(handled).isEmpty();
    assertThatIllegalStateException().isThrownBy(() -> poller.start());
  }

  @Test
  void R15_aHandlerMayCloseItsPoller() {
    seed(3);
    poller =
        settings()
            .intervalMs(10)
            .handler(
                (event, attempts) -> {
                  poller.close();
                  return handled.add(event.eventId());
                })
            .build();
    poller.start();

    await().until(() -> handled.size() == 3);
    await()
        .until(
            () ->
                Thread.getAllStackTraces().keySet().stream()
                    .noneMatch(thread -> thread.getName().startsWith("outbox-poller-")));
  }

  @Test
  void R15_closingWaitsForTheCycleThatIsUnderWay() {
    seed(3);
    AtomicReference<List<OutboxEvent>> before = new AtomicReference<>();
    poller =
        settings()
            .handler(
                (event, attempts) -> {
                  before.set(List.of());
                  return handled.add(event.eventId());
                })
            .build();
    poller.start();
    await().until(() -> before.get() != null);
    poller.close();

    assertThat(handled).hasSize(3);
  }

  // ---- settings

  @Test
  void defaultsAreThoseOfTheSpecification() {
    AtomicReference<PendingQuery> query = new AtomicReference<>();
    store.before("fetchPending", asked -> query.set((PendingQuery) asked));
    pollOnce(settings());

    assertThat(query.get().limit()).isEqualTo(50);
    assertThat(query.get().skipRecent()).isZero();
    assertThat(query.get().claimAs()).isNull();
    assertThat(query.get().now()).isEqualTo(clock.instant());
  }

  static Stream<Consumer<OutboxPoller.Builder>> wrong() {
    return Stream.of(
        builder -> builder.batchSize(0),
        builder -> builder.intervalMs(0),
        builder -> builder.intervalMs(-1),
        builder -> builder.skipRecent(Duration.ofNanos(-1)),
        builder -> builder.skipRecent(Duration.ofSeconds(Long.MAX_VALUE)),
        builder -> builder.claimLocking(" ", Duration.ofMinutes(5)),
        builder -> builder.claimLocking("x".repeat(129), Duration.ofMinutes(5)),
        builder -> builder.claimLocking("node", Duration.ZERO),
        builder -> builder.claimLocking("node", Duration.ofSeconds(Long.MAX_VALUE)));
  }

  @ParameterizedTest
  @MethodSource("wrong")
  void R17_aWrongSettingIsRefusedAtOnce(Consumer<OutboxPoller.Builder> setting) {
    assertThatIllegalArgumentException().isThrownBy(() -> setting.accept(settings()));
  }

  static Stream<Consumer<OutboxPoller.Builder>> nulls() {
    return Stream.of(
        builder -> builder.connectionProvider(null),
        builder -> builder.outboxStore(null),
        builder -> builder.handler(null),
        builder -> builder.metrics(null),
        builder -> builder.clock(null),
        builder -> builder.skipRecent(null),
        builder -> builder.claimLocking(null, Duration.ofMinutes(5)),
        builder -> builder.claimLocking("node", null));
  }

  @ParameterizedTest
  @MethodSource("nulls")
  void R17_nullIsRefusedAtOnce(Consumer<OutboxPoller.Builder> setting) {
    assertThatNullPointerException().isThrownBy(() -> setting.accept(settings()));
  }

  @Test
  void R17_whatIsMissingIsNamed() {
    assertThatNullPointerException()
        .isThrownBy(() -> OutboxPoller.builder().build())
        .withMessageContaining("connectionProvider is required");
    assertThatNullPointerException()
        .isThrownBy(() -> OutboxPoller.builder().connectionProvider(database).build())
        .withMessageContaining("outboxStore is required");
    assertThatNullPointerException()
        .isThrownBy(
            () -> OutboxPoller.builder().connectionProvider(database).outboxStore(store).build())
        .withMessageContaining("handler is required");
  }
}
