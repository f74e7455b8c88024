package io.outbox.jdbc.operate;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.DispatchResult;
import io.outbox.EventListener;
import io.outbox.Outbox;
import io.outbox.jdbc.store.Target;
import io.outbox.jdbc.tx.ThreadLocalTxContext;
import io.outbox.model.EventStatus;
import io.outbox.operate.ActionProgress;
import io.outbox.operate.AuditEntry;
import io.outbox.operate.EventFilter;
import io.outbox.operate.OperatorAction.Replay;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.testing.Await;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A replay of all that is dead, while others are at work on the same events. */
abstract class BulkReplayContract extends OperatorContract {

  private static final EventFilter DEAD = EventFilter.of(EventStatus.DEAD);
  private static final Duration BOUND = Duration.ofSeconds(60);

  /** More than a batch. */
  private static final int MANY = 700;

  private final Map<String, Integer> deliveries = new ConcurrentHashMap<>();

  BulkReplayContract(Target target) {
    super(target);
  }

  private void insertDead(int count) throws SQLException {
    deliveries.clear();
    insertAll(
        IntStream.range(0, count)
            .mapToObj(i -> dead("dead-" + i).created(T0.plusMillis(i)).done(T0.plusMillis(i)))
            .toList());
  }

  private Instant databaseTime() throws SQLException {
    return with(conn -> store.currentTime(conn)).orElseThrow();
  }

  private ActionProgress replay(ActionProgress.Listener listener) {
    return operator.perform(new Replay(), DEAD, Long.MAX_VALUE, listener);
  }

  private int count(String condition) throws SQLException {
    String sql = "SELECT COUNT(*) FROM outbox_event WHERE " + condition;
    return with(conn -> JDBC.query(conn, sql, row -> row.getInt(1)).get(0));
  }

  private interface Work<T> {
    T run() throws Exception;
  }

  /** Wherever a listener is called, which may not throw. */
  private static <T> T unchecked(Work<T> work) {
    try {
      return work.run();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void twoAtOnceGiveEachEventOneNewLife() throws Exception {
    insertDead(MANY);
    CyclicBarrier together = new CyclicBarrier(2);
    Callable<ActionProgress> replaying =
        () -> {
          together.await(BOUND.toSeconds(), TimeUnit.SECONDS);
          return replay(ActionProgress.Listener.NONE);
        };
    ExecutorService operators = Executors.newFixedThreadPool(2);
    try {
      long changed = 0;
      for (Future<ActionProgress> end : operators.invokeAll(List.of(replaying, replaying))) {
        assertThat(end.get().finished()).isTrue();
        changed += end.get().changed();
      }
      assertThat(changed).isEqualTo(MANY);
    } finally {
      operators.shutdownNow();
    }
    assertThat(count("status = 0 AND lease_no = 1")).isEqualTo(MANY);
    List<AuditEntry> audit = operator.audit(null, 10);
    assertThat(audit).hasSize(2).allMatch(entry -> entry.finishedAt() != null);
    assertThat(audit.stream().mapToLong(AuditEntry::count).sum()).isEqualTo(MANY);
  }

  /** Also where a batch is looked at again because somebody had locked a row of it. */
  @Test
  void whatDiesAgainIsNotReplayedAgain() throws SQLException {
    insertDead(MANY);
    ActionProgress end;
    try (Connection other = dataSource.getConnection()) {
      other.setAutoCommit(false);
      target.lockRow(other, "dead-" + (MANY - 1));
      end =
          replay(
              progress -> {
                unchecked(() -> dieAgain());
                return progress.changed() <= MANY;
              });
      other.rollback();
    }
    assertThat(end.finished()).isTrue();
    assertThat(end.changed()).isEqualTo(MANY - 1);
    assertThat(count("status = 3 AND lease_no = 1")).isEqualTo(MANY - 1);
  }

  private int dieAgain() throws SQLException {
    Object now = target.product().parameter(databaseTime());
    try (Connection conn = dataSource.getConnection()) {
      conn.setAutoCommit(false);
      store.prepareTransaction(conn); // so that it does not wait for a locked row that is dead
      String sql = "UPDATE outbox_event SET status = 3, done_at = ? WHERE status = 0";
      int died = JDBC.update(conn, sql, now);
      conn.commit();
      return died;
    }
  }

  @Test
  void whatDiesLaterIsNoPartOfIt() throws SQLException {
    insertDead(MANY);
    Instant later = databaseTime().plusSeconds(60);
    AtomicBoolean dying = new AtomicBoolean(true);
    ActionProgress end =
        replay(
            progress -> {
              if (dying.getAndSet(false)) {
                unchecked(() -> insertLater(later));
              }
              return true;
            });
    assertThat(end.finished()).isTrue();
    assertThat(end.changed()).isEqualTo(MANY);
    assertThat(count("status = 3 AND lease_no = 0")).isEqualTo(50);
  }

  /** Older events than all others. */
  private int insertLater(Instant doneAt) throws SQLException {
    insertAll(
        IntStream.range(0, 50)
            .mapToObj(i -> dead("late-" + i).created(T0.minusSeconds(60)).done(doneAt))
            .toList());
    return 0;
  }

  @Test
  void rowsThatSomebodyElseHasLockedDoNotHoldItUp() throws Exception {
    insertDead(MANY);
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try (Connection other = dataSource.getConnection()) {
      other.setAutoCommit(false);
      for (int i = 0; i < MANY; i += 300) {
        target.lockRow(other, "dead-" + i);
      }
      Future<ActionProgress> replay =
          thread.submit(() -> replay(progress -> progress.scanned() < 100 * MANY));
      assertThat(replay.get(BOUND.toSeconds(), TimeUnit.SECONDS).changed()).isEqualTo(MANY - 3);
      other.rollback();
    } finally {
      thread.shutdownNow();
    }
    assertThat(ids(DEAD)).containsExactlyInAnyOrder("dead-0", "dead-300", "dead-600");
    assertThat(replay(ActionProgress.Listener.NONE).changed()).isEqualTo(3);
  }

  private Outbox engine(boolean claiming, EventListener listener) {
    Outbox.AbstractBuilder<?> builder =
        claiming ? Outbox.multiNode().claimLocking(BOUND) : Outbox.singleNode();
    return builder
        .connectionProvider(dataSource::getConnection)
        .txContext(new ThreadLocalTxContext())
        .outboxStore(target.store())
        .listenerRegistry(new DefaultListenerRegistry().registerDefault(listener))
        .intervalMs(20)
        .build();
  }

  /** Every tenth dies again. */
  @ParameterizedTest(name = "claiming {0}")
  @ValueSource(booleans = {false, true})
  void besideAnEngineEachEventIsDeliveredOnceMore(boolean claiming) throws SQLException {
    insertDead(MANY);
    EventListener listener =
        event -> {
          deliveries.merge(event.eventId(), 1, Integer::sum);
          return event.eventId().endsWith("0") ? DispatchResult.dead() : DispatchResult.done();
        };
    try (Outbox engine = engine(claiming, listener)) {
      assertThat(replay(ActionProgress.Listener.NONE).changed()).isEqualTo(MANY);
      awaitCount("status = 1 OR (status = 3 AND replayed_at IS NOT NULL)", MANY);
    }
    assertThat(deliveries).hasSize(MANY);
    assertThat(deliveries.values()).containsOnly(1);
    assertThat(count("status = 3")).isEqualTo(MANY / 10);
  }

  private void awaitCount(String condition, int expected) {
    Await.until(condition, BOUND, () -> unchecked(() -> count(condition)) == expected);
  }
}
