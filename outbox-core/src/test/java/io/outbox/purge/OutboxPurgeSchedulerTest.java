package io.outbox.purge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.awaitility.Awaitility.await;

import io.outbox.fakes.CapturedLogs;
import io.outbox.fakes.FakeDatabase;
import io.outbox.fakes.ManualClock;
import io.outbox.spi.EventPurger;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
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
