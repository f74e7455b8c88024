package io.outbox.purge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.awaitility.Awaitility.await;

import io.outbox.fakes.CapturedLogs;
import io.outbox.fakes.FakeDatabase;
import io.outbox.fakes.FakeStore;
import io.outbox.fakes.ManualClock;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.EventPurger;
import io.outbox.spi.OutboxStore;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class OutboxPurgeSchedulerTest {

  private final FakeDatabase database = new FakeDatabase();
  private final ManualClock clock = new ManualClock();
  private final List<Integer> limits = new CopyOnWriteArrayList<>();
  private final List<Instant> cutOffs = new CopyOnWriteArrayList<>();
  private final AtomicInteger old = new AtomicInteger();
  private OutboxPurgeScheduler scheduler;

  private final EventPurger purger =
      (conn, before, limit) -> {
        limits.add(limit);
        cutOffs.add(before);
        int purged = Math.min(limit, old.get());
        old.addAndGet(-purged);
        return purged;
      };

  private OutboxPurgeScheduler.Builder settings() {
    return OutboxPurgeScheduler.builder().connectionProvider(database).purger(purger).clock(clock);
  }

  @AfterEach
  void close() {
    if (scheduler != null) {
      scheduler.close();
    }
    assertThat(database.openConnections()).isZero();
  }

  @Test
  void oneRunPurgesBatchByBatchUntilOneIsShort() {
    old.set(1_200);
    scheduler = settings().build();
    scheduler.runOnce();

    assertThat(limits).containsExactly(500, 500, 500);
    assertThat(old).hasValue(0);
    assertThat(database.connections()).as("one per batch").isEqualTo(3);
    assertThat(CapturedLogs.of(OutboxPurgeScheduler.class, Level.INFO))
        .anySatisfy(log -> assertThat(log).contains("1200"));
  }

  /** A clock that is a year ahead would delete what was finished just now. */
  @Test
  void R20_theDatabasesTimeDecidesWhatIsOld() {
    Instant databaseTime = clock.instant().minus(Duration.ofDays(365));
    scheduler =
        settings()
            .outboxStore(new FakeStore(database, Clock.fixed(databaseTime, ZoneOffset.UTC)))
            .retention(Duration.ofDays(7))
            .build();
    scheduler.runOnce();

    assertThat(cutOffs).containsExactly(databaseTime.minus(Duration.ofDays(7)));
  }

  /** A half-open connection would else hold it for as long as the operating system likes. */
  @Test
  void R18_everyConnectionOfAPurgeHasABoundAndIsGivenBackAsItCame() {
    List<List<Object>> timeouts = new CopyOnWriteArrayList<>();
    ConnectionProvider recorded =
        () -> {
          List<Object> own = new CopyOnWriteArrayList<>();
          timeouts.add(own);
          return withNetworkTimeout(database.getConnection(), own);
        };
    OutboxStore store =
        proxy(
            OutboxStore.class,
            (proxy, method, args) ->
                method.getName().equals("currentTime") ? Optional.of(clock.instant()) : null);
    scheduler = settings().connectionProvider(recorded).outboxStore(store).build();
    scheduler.runOnce();

    assertThat(limits).hasSize(1);
    assertThat(timeouts).hasSize(2).allMatch(own -> own.equals(List.of(300_000, 0)));
  }

  private static Connection withNetworkTimeout(Connection conn, List<Object> set) {
    return proxy(
        Connection.class,
        (proxy, method, args) ->
            switch (method.getName()) {
              case "getNetworkTimeout" -> 0;
              case "setNetworkTimeout" -> {
                set.add(args[1]);
                yield null;
              }
              default -> method.invoke(conn, args);
            });
  }

  private static <T> T proxy(Class<T> type, InvocationHandler calls) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, calls));
  }

  /** Rows that it has locked, and PostgreSQL's cleaning up, wait for its session. */
  @Test
  void R21_theServerEndsTheSessionOfAPurgeWhoseNodeVanished() {
    List<String> calls = new CopyOnWriteArrayList<>();
    FakeStore store = new FakeStore(database, clock);
    OutboxStore recorded =
        proxy(
            OutboxStore.class,
            (proxy, method, args) -> {
              if (method.getName().contains("ransaction")) {
                calls.add(method.getName() + (args.length > 1 ? " " + args[1] : ""));
              }
              return method.invoke(store, args);
            });
    scheduler =
        settings()
            .outboxStore(recorded)
            .purger(
                (conn, before, limit) -> {
                  calls.add("purge");
                  return 0;
                })
            .build();
    scheduler.runOnce();

    assertThat(calls).containsExactly("prepareTransaction PT30S", "purge", "transactionEnded");
    assertThat(database.commits()).isEqualTo(1);
  }

  @Test
  void nothingOldIsOneQueryAndNoLog() {
    scheduler = settings().build();
    scheduler.runOnce();

    assertThat(limits).hasSize(1);
    assertThat(CapturedLogs.of(OutboxPurgeScheduler.class, Level.INFO)).isEmpty();
  }

  @Test
  void theCutOffIsTheRetentionAgo() {
    scheduler = settings().retention(Duration.ofDays(3)).build();
    scheduler.runOnce();
    OutboxPurgeScheduler byDefault = settings().build();
    byDefault.runOnce();

    assertThat(cutOffs)
        .containsExactly(
            clock.instant().minus(Duration.ofDays(3)), clock.instant().minus(Duration.ofDays(7)));
  }

  @Test
  void aConnectionWithoutAutoCommitIsCommitted() {
    database.autoCommit = false;
    scheduler = settings().build();
    scheduler.runOnce();

    assertThat(database.commits()).isEqualTo(1);
  }

  @Test
  void aFailedBatchOnAConnectionWithoutAutoCommitIsRolledBack() {
    database.autoCommit = false;
    scheduler =
        settings()
            .purger(
                (conn, before, limit) -> {
                  throw new IllegalStateException("injected");
                })
            .build();
    scheduler.runOnce();

    assertThat(database.commits()).isZero();
    assertThat(database.rollbacks()).isEqualTo(1);
    assertThat(CapturedLogs.of(OutboxPurgeScheduler.class, Level.SEVERE)).hasSize(1);
  }

  @Test
  void R1_aFailureIsLoggedAndTheNextRunTriesAgain() {
    AtomicInteger runs = new AtomicInteger();
    scheduler =
        settings()
            .intervalSeconds(1)
            .purger(
                (conn, before, limit) -> {
                  if (runs.incrementAndGet() == 1) {
                    throw new StackOverflowError("injected");
                  }
                  return 0;
                })
            .build();
    scheduler.start();

    await().until(() -> runs.get() >= 2);
    assertThat(CapturedLogs.of(OutboxPurgeScheduler.class, Level.SEVERE)).hasSize(1);
  }

  @Test
  void R1_aStrayInterruptDoesNotEndIt() {
    scheduler = settings().intervalSeconds(1000).build();
    scheduler.start();
    await().until(() -> limits.size() == 1);
    Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("outbox-purge-"))
        .forEach(Thread::interrupt);

    await().until(() -> limits.size() >= 2);
  }

  @Test
  void startingAgainDoesNothing() {
    scheduler = settings().intervalSeconds(1000).build();
    scheduler.start();
    scheduler.start();

    await().until(() -> limits.size() == 1);
    assertThat(
            Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("outbox-purge-")))
        .hasSize(1);
  }

  @Test
  void R15_closingEndsTheBatchesOfARun() {
    CountDownLatch second = new CountDownLatch(2);
    old.set(Integer.MAX_VALUE);
    scheduler =
        settings()
            .batchSize(1)
            .purger(
                (conn, before, limit) -> {
                  second.countDown();
                  return limit;
                })
            .build();
    scheduler.start();
    await().until(() -> second.getCount() == 0);
    scheduler.close();
    scheduler.close();

    await()
        .until(
            () ->
                Thread.getAllStackTraces().keySet().stream()
                    .noneMatch(thread -> thread.getName().startsWith("outbox-purge-")));
  }

  @Test
  void R15_aClosedSchedulerDoesNotStart() {
    scheduler = settings().build();
    scheduler.close();

    assertThatIllegalStateException().isThrownBy(scheduler::start);
  }

  @Test
  void R17_wrongSettingsAreRefusedAtOnce() {
    OutboxPurgeScheduler.Builder builder = OutboxPurgeScheduler.builder();
    assertThatNullPointerException().isThrownBy(() -> builder.connectionProvider(null));
    assertThatNullPointerException().isThrownBy(() -> builder.purger(null));
    assertThatNullPointerException().isThrownBy(() -> builder.retention(null));
    assertThatNullPointerException().isThrownBy(() -> builder.clock(null));
    assertThatIllegalArgumentException().isThrownBy(() -> builder.batchSize(0));
    assertThatIllegalArgumentException().isThrownBy(() -> builder.intervalSeconds(0));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> builder.retention(Duration.ofSeconds(-1)));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> builder.retention(Duration.ofSeconds(Long.MAX_VALUE)));
    assertThatNullPointerException()
        .isThrownBy(() -> OutboxPurgeScheduler.builder().purger(purger).build())
        .withMessageContaining("connectionProvider");
    assertThatNullPointerException()
        .isThrownBy(() -> OutboxPurgeScheduler.builder().connectionProvider(database).build())
        .withMessageContaining("purger");
  }
}
