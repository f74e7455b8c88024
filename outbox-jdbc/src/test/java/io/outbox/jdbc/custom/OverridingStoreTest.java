package io.outbox.jdbc.custom;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.store.PostgresOutboxStore;
import io.outbox.jdbc.store.Target;
import io.outbox.jdbc.tx.JdbcTransactionManager;
import io.outbox.jdbc.tx.ThreadLocalTxContext;
import io.outbox.model.OutboxEvent;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.NewEvent;
import io.outbox.spi.Outcome;
import io.outbox.spi.OutcomeResult;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A store of somebody else's, made from one of ours, with public types alone. */
class OverridingStoreTest {

  private static final int EVENTS = 30;

  private final Queue<String> calls = new ConcurrentLinkedQueue<>();
  private final Queue<String> delivered = new ConcurrentLinkedQueue<>();

  @BeforeEach
  void noEvents() throws SQLException {
    Target.POSTGRES.deleteAllEvents();
  }

  /** Overrides what the specification names. */
  private final class OneByOne extends PostgresOutboxStore {
    @Override
    public void insertNew(Connection conn, EventEnvelope event) {
      calls.add("insert " + event.aggregateId());
      super.insertNew(conn, event);
    }

    @Override
    public int markDone(Connection conn, String eventId) {
      calls.add("done");
      return super.markDone(conn, eventId);
    }

    @Override
    public int markRetry(Connection conn, String eventId, Instant nextAt, String error) {
      calls.add("retry");
      return super.markRetry(conn, eventId, nextAt, error);
    }

    @Override
    public List<OutboxEvent> pollPending(
        Connection conn, Instant now, Duration skipRecent, int limit) {
      calls.add("poll");
      return super.pollPending(conn, now, skipRecent, limit);
    }

    @Override
    public List<OutboxEvent> claimPending(
        Connection conn,
        String ownerId,
        Instant now,
        Instant lockExpiry,
        Duration skipRecent,
        int limit) {
      calls.add("claim");
      return super.claimPending(conn, ownerId, now, lockExpiry, skipRecent, limit);
    }
  }

  /** Knows what the engine calls. */
  private final class Many extends PostgresOutboxStore {
    @Override
    public void insertAll(Connection conn, List<NewEvent> events) {
      calls.add("insert many");
      super.insertAll(conn, events);
    }

    @Override
    public int markDone(Connection conn, String eventId) {
      calls.add("done");
      return super.markDone(conn, eventId);
    }

    @Override
    public List<OutcomeResult> recordOutcomes(Connection conn, List<Outcome> toRecord) {
      calls.add("outcomes");
      return super.recordOutcomes(conn, toRecord);
    }
  }

  @Test
  void theEngineCallsWhatASubclassOverrides() throws Exception {
    deliver(new OneByOne(), Outbox.singleNode());

    assertThat(calls)
        .contains("poll", "retry")
        .containsAll(IntStream.range(0, EVENTS).mapToObj(n -> "insert " + n).toList());
    assertThat(calls.stream().filter("done"::equals)).hasSize(EVENTS);
  }

  @Test
  void theEngineClaimsAsASubclassDoes() throws Exception {
    deliver(new OneByOne(), Outbox.multiNode().claimLocking(Duration.ofMinutes(5)));

    assertThat(calls).contains("claim").doesNotContain("poll");
    assertThat(calls.stream().filter("done"::equals)).hasSizeGreaterThanOrEqualTo(EVENTS);
  }

  @Test
  void whoOverridesTheMethodForManyIsNotCalledForEach() throws Exception {
    Many store = new Many();
    deliver(store, Outbox.multiNode().claimLocking(Duration.ofMinutes(5)));

    assertThat(calls).contains("outcomes").doesNotContain("done");
    assertThat(store.supportsLeases()).isTrue();
  }

  @Test
  void whoOverridesInsertsOrOutcomesOfManySeesFinishedEventsToo() throws Exception {
    try (Connection conn = Target.POSTGRES.dataSource().getConnection()) {
      new Many().insertFinished(conn, List.of(EventEnvelope.ofJson("T", "{}")), Instant.now());

      assertThat(calls).containsExactly("insert many", "outcomes");
    }
  }

  /** Each event once, but the first attempt of the first, which fails. */
  private <B extends Outbox.ConcurrentBuilder<B>> void deliver(PostgresOutboxStore store, B builder)
      throws Exception {
    DataSourceConnectionProvider connections =
        new DataSourceConnectionProvider(Target.POSTGRES.dataSource());
    ThreadLocalTxContext context = new ThreadLocalTxContext();
    JdbcTransactionManager transactions = new JdbcTransactionManager(connections, context);
    try (Outbox outbox =
        builder
            .connectionProvider(connections)
            .txContext(context)
            .outboxStore(store)
            .intervalMs(50)
            .listenerRegistry(
                new DefaultListenerRegistry()
                    .registerDefault(
                        event -> {
                          if (event.aggregateId().equals("0") && !delivered.contains("failed")) {
                            delivered.add("failed");
                            throw new IllegalStateException("at first");
                          }
                          delivered.add(event.aggregateId());
                          return DispatchResult.done();
                        }))
            .build()) {
      for (int i = 0; i < EVENTS; i++) {
        EventEnvelope event =
            EventEnvelope.builder("Tested").aggregateId("" + i).payloadJson("{}").build();
        transactions.<Exception>run(tx -> outbox.writer().write(event));
      }
      await()
          .atMost(Duration.ofMinutes(2))
          .until(
              () ->
                  delivered.containsAll(IntStream.range(0, EVENTS).mapToObj(n -> "" + n).toList()));
    }
  }
}
