package io.outbox.testing.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.model.OutboxEvent;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.OutboxStore;
import io.outbox.testing.Await;
import io.outbox.testing.RecordingListener;
import io.outbox.testing.RecordingMetrics;
import io.outbox.testing.StubTxContext;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;

/** What the tests of the rules need from their subclass, and what they have in common. */
@ExtendWith(RuleReport.class)
abstract class RulesFixture {

  static final String TYPE = "Tested";
  static final Duration BOUND = Duration.ofSeconds(60);

  /** Longer than any test waits: what a lease holds back for so long was not given up. */
  static final Duration LONG_LEASE = Duration.ofMinutes(30);

  final RecordingListener listener = new RecordingListener();
  final RecordingMetrics metrics = new RecordingMetrics();
  StubTxContext tx;

  /** The store under test; the same one during a test. */
  protected abstract OutboxStore store();

  /** Opens connections with auto-commit on; the tests and the engine close them. */
  protected abstract ConnectionProvider connections();

  /** Empties the store; called before each test. */
  protected abstract void deleteAllEvents() throws SQLException;

  /** Override to return true if the tables of {@code orderedByKey()} are there. */
  protected boolean isReadyForOrderByKey() {
    return false;
  }

  @BeforeEach
  final void prepare() throws SQLException {
    deleteAllEvents();
    tx = new StubTxContext(connections());
  }

  final Outbox.SingleNodeBuilder singleNode() {
    return on(Outbox.singleNode()).retryPolicy(attempts -> 1).maxAttempts(3);
  }

  final Outbox.MultiNodeBuilder multiNode(String node) {
    return on(Outbox.multiNode())
        .claimLocking(node, LONG_LEASE)
        .retryPolicy(attempts -> 1)
        .maxAttempts(3);
  }

  /** A store, and what every outbox of a test needs besides. */
  final <B extends Outbox.AbstractBuilder<B>> B on(B builder) {
    return builder
        .connectionProvider(connections())
        .txContext(tx)
        .outboxStore(store())
        .metrics(metrics)
        .intervalMs(50)
        .listenerRegistry(listening(listener));
  }

  static DefaultListenerRegistry listening(RecordingListener listener) {
    return new DefaultListenerRegistry().register(TYPE, listener);
  }

  final String write(Outbox outbox) {
    return write(outbox, event().build());
  }

  final String write(Outbox outbox, EventEnvelope event) {
    return tx.callInTransaction(() -> outbox.writer().write(event));
  }

  final List<String> write(Outbox outbox, int events) {
    List<EventEnvelope> all = IntStream.range(0, events).mapToObj(i -> event().build()).toList();
    return tx.callInTransaction(() -> outbox.writer().writeAll(all));
  }

  /** Writes an event that no node of this test knows of: only a poller finds it. */
  final String writeCold(EventEnvelope event) {
    try (Outbox writer = Outbox.writerOnly().txContext(tx).outboxStore(store()).build()) {
      return write(writer, event);
    }
  }

  static EventEnvelope.Builder event() {
    return EventEnvelope.builder(TYPE).payloadJson("{}");
  }

  final void awaitFinished() {
    Await.finished(store(), connections(), BOUND);
  }

  final <T> T ask(Question<T> question) {
    try (Connection conn = connections().getConnection()) {
      return question.of(conn);
    } catch (SQLException e) {
      throw new AssertionError("the store cannot be asked", e);
    }
  }

  final Instant now() {
    return ask(conn -> store().currentTime(conn).orElseGet(Instant::now));
  }

  final int dead() {
    return ask(conn -> store().countDead(conn, null));
  }

  final void replay(String id) {
    int replayed = ask(conn -> store().replayDead(conn, id));
    assertThat(replayed).isOne();
  }

  /** Claims all there is, as a node would that vanishes at once; at {@code at}, by its clock. */
  final List<OutboxEvent> claimAndVanish(String node, Instant at, Instant lockExpiry) {
    return ask(
        conn -> {
          conn.setAutoCommit(false);
          List<OutboxEvent> claimed =
              store().claimPending(conn, node, at, lockExpiry, Duration.ZERO, 100);
          conn.commit();
          conn.setAutoCommit(true);
          return claimed;
        });
  }

  final void requireLeases() {
    assumeTrue(store().supportsLeases(), "the store has no leases");
  }

  interface Question<T> {
    T of(Connection conn) throws SQLException;
  }
}
