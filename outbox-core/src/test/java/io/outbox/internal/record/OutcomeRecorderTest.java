package io.outbox.internal.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.fakes.Events;
import io.outbox.fakes.FakeDatabase;
import io.outbox.fakes.FakeStore;
import io.outbox.internal.queue.Delivery;
import io.outbox.internal.store.StoreSession;
import io.outbox.model.EventRef;
import io.outbox.model.EventStatus;
import io.outbox.spi.Outcome;
import io.outbox.spi.OutcomeResult;
import java.net.SocketTimeoutException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class OutcomeRecorderTest {

  private static final long A_SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final long MUCH = 1L << 40;

  private final FakeDatabase database = new FakeDatabase();
  private final FakeStore store = new FakeStore(database);
  private final List<String> written = new CopyOnWriteArrayList<>();
  private final List<String> abandoned = new CopyOnWriteArrayList<>();
  private final List<String> order = new CopyOnWriteArrayList<>();
  private final AtomicInteger batches = new AtomicInteger();
  private final CountDownLatch unblock = new CountDownLatch(1);
  private UnwrittenOutcomes<Delivery> unwritten;
  private OutcomeRecorder<Delivery> recorder;

  private final OutcomeRecorder.Listener<Delivery> listener =
      new OutcomeRecorder.Listener<Delivery>() {
        @Override
        public void written(Delivery delivery, Outcome outcome) {
          written.add(outcome.eventId());
        }

        @Override
        public void abandoned(Delivery delivery, Outcome outcome) {
          abandoned.add(outcome.eventId());
          order.add("abandoned " + outcome.eventId());
        }

        @Override
        public void batchEnded() {
          batches.incrementAndGet();
          order.add("batch");
        }
      };

  private OutcomeRecorder<Delivery> start() {
    return start(1_000, MUCH, listener);
  }

  private OutcomeRecorder<Delivery> start(
      int maxUnwritten, long maxBytes, OutcomeRecorder.Listener<Delivery> told) {
    return start(UnwrittenOutcomes.bounded(maxUnwritten, maxBytes), told);
  }

  private OutcomeRecorder<Delivery> start(
      UnwrittenOutcomes<Delivery> unwritten, OutcomeRecorder.Listener<Delivery> told) {
    this.unwritten = unwritten;
    recorder = new OutcomeRecorder<>(new StoreSession(database, store), told, unwritten, true);
    recorder.start();
    return recorder;
  }

  @AfterEach
  void close() throws InterruptedException {
    unblock.countDown();
    store.heal();
    database.onConnect = () -> {};
    recorder.close(List.of(), A_SECOND);
  }

  private void submit(String id) {
    submit(id, EventStatus.DONE);
  }

  private void submit(String id, EventStatus status) {
    store.seed(Events.event(id));
    Delivery delivery = Delivery.ofCommitted(Events.event(id), null);
    delivery.start();
    recorder.submit(
        delivery, new Outcome(delivery.ref(), status, 0, Events.CREATED.plusSeconds(9), null));
  }

  private void submitAll(String prefix, int count) {
    for (int i = 0; i < count; i++) {
      submit(prefix + i);
    }
  }

  private void blockWrites() {
    store.before("recordOutcomes", outcomes -> awaitQuietly(unblock));
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static boolean has(Object outcomes, Predicate<String> id) {
    return ((List<?>) outcomes).stream().anyMatch(one -> id.test(((Outcome) one).eventId()));
  }

  private static RuntimeException failure(String sqlState) {
    return new IllegalStateException(new SQLException("injected", sqlState));
  }

  /** It answers in time, but not for so many at once. */
  @Test
  void R18_aBatchThatTakesTooLongBecomesSmaller() {
    start();
    store.before(
        "recordOutcomes",
        outcomes -> {
          if (((List<?>) outcomes).size() > 100) {
            throw new IllegalStateException(
                new SQLException(
                    "injected", "08006", new SocketTimeoutException("Read timed out")));
          }
        });
    database.onConnect = () -> awaitQuietly(unblock);
    submitAll("e", 900);
    unblock.countDown();

    await().until(() -> written.size() == 900);
    assertThat(abandoned).isEmpty();
  }

  // ---- without failures

  @Test
  void everyKindOfOutcomeIsWritten() {
    start();
    for (EventStatus status : EventStatus.values()) {
      submit(status.name(), status);
    }

    await().until(() -> written.size() == 4);
    for (EventStatus status : EventStatus.values()) {
      assertThat(store.status(status.name())).isEqualTo(status);
    }
    await().until(recorder::isIdle);
    assertThat(unwritten.isDatabaseAway()).isFalse();
  }

  @Test
  void whatFinishesDuringAWriteGoesIntoTheNextOne() {
    blockWrites();
    start();
    submit("first");
    await().until(() -> store.calls("recordOutcomes") == 1);
    submitAll("e", 100);
    unblock.countDown();

    await().until(() -> written.size() == 101);
    assertThat(store.calls("recordOutcomes")).isEqualTo(2);
    assertThat(batches).hasValue(2);
  }

  private void blockWritesOf(String id) {
    store.before(
        "recordOutcomes",
        outcomes -> {
          if (has(outcomes, id::equals)) {
            awaitQuietly(unblock);
          }
        });
  }

  @Test
  void whatGathersDuringALongWriteIsWrittenBesideIt() {
    blockWritesOf("first");
    start(10_000, MUCH, listener);
    submit("first");
    await().until(() -> store.calls("recordOutcomes") == 1);
    submitAll("e", 2_000);

    await().until(() -> written.size() >= 1_500);
    assertThat(written).doesNotContain("first");
    unblock.countDown();

    await().until(recorder::isIdle);
    assertThat(written).hasSize(2_001).doesNotHaveDuplicates();
  }

  @Test
  void aWriterThatNeedsAnOrderWritesOneBatchAfterTheOther() {
    blockWritesOf("first");
    recorder =
        new OutcomeRecorder<>(
            new StoreSession(database, store),
            listener,
            UnwrittenOutcomes.bounded(10_000, MUCH),
            false);
    recorder.start();
    submit("first");
    await().until(() -> store.calls("recordOutcomes") == 1);
    submitAll("e", 2_000);
    unblock.countDown();

    await().until(recorder::isIdle);
    assertThat(written).hasSize(2_001).doesNotHaveDuplicates().startsWith("first");
  }

  /** The first thread has nothing to do any more, and the second cannot write its batch at once. */
  @Test
  void R15_closingWaitsForABatchThatIsWrittenBesideOthers() throws Exception {
    CountDownLatch firstGoesOn = new CountDownLatch(1);
    AtomicInteger deadlocks = new AtomicInteger(1);
    store.before(
        "recordOutcomes",
        outcomes -> {
          if (has(outcomes, "first"::equals)) {
            awaitQuietly(firstGoesOn);
          } else {
            awaitQuietly(unblock);
            if (deadlocks.getAndDecrement() > 0) {
              throw failure("40P01");
            }
          }
        });
    start(10_000, MUCH, listener);
    submit("first");
    await().until(() -> store.calls("recordOutcomes") == 1);
    submitAll("e", 500);
    await().until(() -> store.calls("recordOutcomes") == 2);
    firstGoesOn.countDown();
    CompletableFuture<Void> closing =
        CompletableFuture.runAsync(
            () -> {
              try {
                recorder.close(List.of(), 30 * A_SECOND);
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    await().until(() -> written.contains("first"));
    assertThat(closing).isNotDone();
    unblock.countDown();

    closing.get(20, TimeUnit.SECONDS);
    assertThat(written).hasSize(501).doesNotHaveDuplicates();
    assertThat(recorder.unwritten()).isZero();
  }

  @Test
  void aBatchIsBounded() {
    blockWrites();
    start(10_000, MUCH, listener);
    submit("first");
    await().until(() -> store.calls("recordOutcomes") == 1);
    submitAll("e", 2_500);
    unblock.countDown();

    await().until(() -> written.size() == 2_501);
    assertThat(store.calls("recordOutcomes")).isBetween(4L, 5L);
  }

  @Test
  void R9_anOutcomeIsReportedAfterItsCommit() {
    List<EventStatus> seen = new CopyOnWriteArrayList<>();
    start(
        1_000,
        MUCH,
        new OutcomeRecorder.Listener<Delivery>() {
          @Override
          public void written(Delivery delivery, Outcome outcome) {
            seen.add(store.status(outcome.eventId()));
          }

          @Override
          public void abandoned(Delivery delivery, Outcome outcome) {}

          @Override
          public void batchEnded() {}
        });
    submit("e");

    await().until(() -> seen.equals(List.of(EventStatus.DONE)));
  }

  // ---- what the store answers

  @Test
  void aLockedRowIsTriedAgainWhileOthersAreWritten() throws SQLException {
    start();
    store.seed(Events.event("locked"));
    try (Connection other = database.getConnection()) {
      other.setAutoCommit(false);
      store.markRetry(other, "locked", Events.CREATED, null);
      recorder.submit(
          Delivery.ofCommitted(Events.event("locked"), null),
          Outcome.done(EventRef.any("locked"), 0, Events.CREATED));
      submit("free");
      await().until(() -> written.contains("free"));
      await().until(() -> store.calls("recordOutcomes") >= 4);
      assertThat(written).doesNotContain("locked");
      other.rollback();
    }

    await().until(() -> written.contains("locked"));
    assertThat(unwritten.isDatabaseAway()).isFalse();
  }

  @Test
  void R9_whatSomebodyElseWroteIsNotCounted() {
    start();
    store.seed(
        Events.event("e"),
        row -> {
          row.status = EventStatus.DONE;
          row.doneAt = Events.CREATED.plusSeconds(9);
        });
    recorder.submit(
        Delivery.ofCommitted(Events.event("e"), null),
        Outcome.done(EventRef.unleased("e", 0), 0, Events.CREATED.plusSeconds(9)));

    await().until(() -> abandoned.contains("e"));
    assertThat(written).isEmpty();
  }

  @Test
  void R9_aCommitWhoseAnswerWasLostIsCountedOnce() {
    AtomicInteger commits = new AtomicInteger();
    database.afterCommit =
        () -> {
          if (commits.incrementAndGet() == 1) {
            throw new SQLException("the answer was lost", "08006");
          }
        };
    start();
    submit("e");

    await().until(recorder::isIdle);
    assertThat(written).containsExactly("e");
    assertThat(abandoned).isEmpty();
    assertThat(commits.get()).isGreaterThanOrEqualTo(2);
  }

  @Test
  void R9_aDeleteWhoseAnswerWasLostIsCountedOnce() {
    AtomicInteger commits = new AtomicInteger();
    database.afterCommit =
        () -> {
          if (commits.incrementAndGet() == 1) {
            throw new SQLException("the answer was lost", "08006");
          }
        };
    start();
    store.seed(Events.event("e"));
    recorder.submit(
        Delivery.ofCommitted(Events.event("e"), null),
        Outcome.deleted(EventRef.unleased("e", 0), 0, Events.CREATED));

    await().until(recorder::isIdle);
    assertThat(written).containsExactly("e");
    assertThat(abandoned).isEmpty();
    assertThat(store.has("e")).isFalse();
  }

  @Test
  void R9_aRowThatSomebodyElseDeletedIsNotCounted() {
    start();
    recorder.submit(
        Delivery.ofCommitted(Events.event("e"), null),
        Outcome.deleted(EventRef.unleased("e", 0), 0, Events.CREATED));

    await().until(() -> abandoned.contains("e"));
    assertThat(written).isEmpty();
  }

  @Test
  void R9_aRowThatSomebodyElseDeletedDuringAnOutageIsNotCounted() {
    store.seed(Events.event("e"));
    AtomicInteger failures = new AtomicInteger();
    store.after(
        "recordOutcomes",
        results -> {
          if (failures.getAndIncrement() == 0) {
            database.delete("e");
            throw failure("08006");
          }
        });
    start();
    recorder.submit(
        Delivery.ofCommitted(Events.event("e"), null),
        Outcome.deleted(EventRef.unleased("e", 0), 0, Events.CREATED));

    await().until(() -> abandoned.contains("e"));
    assertThat(written).isEmpty();
  }

  /** Its answer got lost: when it is written again it is there, and counts as written. */
  @Test
  void R9_anOutcomeThatWasWrittenAtOnceWithoutAnAnswerCountsOnce() {
    store.atOnce = true;
    AtomicInteger failures = new AtomicInteger();
    store.after(
        "recordOutcomes",
        results -> {
          if (failures.getAndIncrement() == 0) {
            throw failure("08006");
          }
        });
    start();
    submit("e");

    await().until(() -> written.contains("e"));
    assertThat(failures).hasValue(2);
    assertThat(written).containsExactly("e");
    assertThat(abandoned).isEmpty();
    assertThat(database.commits()).as("the second try has the bounds of a transaction").isOne();
  }

  @Test
  void R5_anOutcomeOfALostLeaseIsAbandoned() {
    start();
    store.seed(Events.event("e"), row -> row.leaseNo = 7);
    recorder.submit(
        Delivery.ofCommitted(Events.event("e"), null),
        Outcome.done(EventRef.unleased("e", 6), 0, Events.CREATED));

    await().until(() -> abandoned.contains("e"));
    assertThat(store.status("e")).isEqualTo(EventStatus.NEW);
  }

  @Test
  void R1_aStoreThatAnswersNonsenseIsAskedAgain() {
    AtomicInteger calls = new AtomicInteger();
    store.after(
        "recordOutcomes",
        results -> {
          @SuppressWarnings("unchecked")
          List<OutcomeResult> list = (List<OutcomeResult>) results;
          switch (calls.incrementAndGet()) {
            case 1 -> list.clear();
            case 2 -> list.replaceAll(result -> null);
            default -> {}
          }
        });
    start();
    submit("e");

    await().until(recorder::isIdle);
    assertThat(written).containsExactly("e");
    assertThat(store.status("e")).isEqualTo(EventStatus.DONE);
  }

  // ---- failures

  @Test
  void R1_anOutageKeepsEveryOutcomeAndEndsWithAllOfThemWritten() {
    database.onConnect =
        () -> {
          throw new SQLException("refused", "08001");
        };
    start();
    submitAll("e", 50);
    await().until(unwritten::isDatabaseAway);
    submitAll("f", 50);
    assertThat(written).isEmpty();
    assertThat(recorder.isIdle()).isFalse();
    database.onConnect = () -> {};

    await().until(() -> written.size() == 100);
    assertThat(written).doesNotHaveDuplicates();
    assertThat(abandoned).isEmpty();
    assertThat(store.count(EventStatus.DONE)).isEqualTo(100);
    assertThat(unwritten.isDatabaseAway()).isFalse();
  }

  @Test
  void R3_anOutageIsNotWaitedOutWhenTheDatabaseAnswersSomebodyElse() {
    AtomicInteger refused = new AtomicInteger();
    database.onConnect =
        () -> {
          refused.incrementAndGet();
          throw new SQLException("refused", "08001");
        };
    unwritten = new UnwrittenOutcomes<>(1_000, MUCH, A_SECOND / 1000, TimeUnit.HOURS.toNanos(1));
    // So that the next pause is one that no test could wait for.
    for (int i = 0; i < 40; i++) {
      unwritten.databaseIsAway();
    }
    unwritten.databaseAnswered();
    start(unwritten, listener);
    submit("e");
    await().until(() -> refused.get() > 0);
    database.onConnect = () -> {};
    submit("f");

    await()
        .until(
            () -> {
              unwritten.databaseAnswered();
              return written.size() == 2;
            });
    assertThat(unwritten.isDatabaseAway()).isFalse();
  }

  @Test
  void R1_anErrorOfTheStoreIsAFailureLikeAnyOther() {
    AtomicInteger calls = new AtomicInteger();
    store.before(
        "recordOutcomes",
        outcomes -> {
          if (calls.incrementAndGet() <= 2) {
            throw new NoClassDefFoundError("injected");
          }
        });
    start();
    submit("e");

    await().until(() -> written.contains("e"));
  }

  /**
   * What is settled is not written again: it would count as somebody else's, or be counted twice.
   */
  @Test
  void R18_anErrorAfterABatchWasSettledDoesNotRepeatIt() {
    AtomicInteger failures = new AtomicInteger();
    start(
        1_000,
        MUCH,
        new OutcomeRecorder.Listener<Delivery>() {
          @Override
          public void written(Delivery delivery, Outcome outcome) {
            written.add(outcome.eventId());
          }

          @Override
          public void abandoned(Delivery delivery, Outcome outcome) {
            abandoned.add(outcome.eventId());
          }

          @Override
          public void batchEnded() {
            if (failures.getAndIncrement() == 0) {
              throw new OutOfMemoryError("injected");
            }
          }
        });
    submit("first");
    await().until(() -> failures.get() == 1 && recorder.isIdle());
    submit("second");
    await().until(() -> failures.get() == 2 && recorder.isIdle());

    assertThat(written).containsExactly("first", "second");
    assertThat(abandoned).isEmpty();
  }

  @Test
  void R1_aStrayInterruptDoesNotEndTheRecorder() {
    start();
    Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("outbox-recorder"))
        .forEach(Thread::interrupt);
    submit("e");

    await().until(() -> written.contains("e"));
  }

  @Test
  void R1_anOutcomeTheDatabaseRefusesDoesNotKeepOthersFromBeingWritten() {
    store.before(
        "recordOutcomes",
        outcomes -> {
          if (has(outcomes, "poison"::equals)) {
            throw failure("22001");
          }
        });
    blockCommitsUntilAllAreSubmitted(
        () -> {
          submitAll("e", 30);
          submit("poison");
          submitAll("f", 30);
        });

    await().until(() -> written.size() == 60);
    assertThat(abandoned).isEmpty();
    Semaphore more = new Semaphore(0);
    await()
        .until(
            () -> {
              submit("later" + more.availablePermits());
              more.release();
              return abandoned.contains("poison");
            });
    assertThat(store.status("poison")).isEqualTo(EventStatus.NEW);
    assertThat(written).doesNotHaveDuplicates().doesNotContain("poison");
    await().until(() -> order.size() > order.indexOf("abandoned poison") + 1);
    assertThat(order)
        .as("whoever waits for it is told at once")
        .containsSequence("abandoned poison", "batch");
  }

  private void blockCommitsUntilAllAreSubmitted(Runnable submits) {
    CountDownLatch submitted = new CountDownLatch(1);
    database.onConnect = () -> awaitQuietly(submitted);
    start();
    submits.run();
    submitted.countDown();
  }

  @Test
  void R1_aRefusedOutcomeIsKeptWhileNothingElseIsWritten() {
    store.before(
        "recordOutcomes",
        outcomes -> {
          throw failure("42601");
        });
    start();
    submit("e");
    await().until(() -> store.calls("recordOutcomes") >= 5);
    assertThat(abandoned).isEmpty();
    store.heal();

    await().until(() -> written.contains("e"));
  }

  @Test
  void R1_anOutcomeThatIsRefusedAfterAnOutageDoesNotLookLikeTheOutage() {
    AtomicInteger calls = new AtomicInteger();
    store.before(
        "recordOutcomes",
        outcomes -> {
          throw failure(calls.incrementAndGet() == 1 ? "08006" : "22001");
        });
    start();
    submit("e");
    await().until(() -> calls.get() >= 1);

    await().until(() -> !unwritten.isDatabaseAway());
    assertThat(written).isEmpty();
  }

  @Test
  void R1_aRowThatIsLockedForLongByAStoreThatWaitsHoldsUpOnlyItsOwnOutcome() {
    store.before(
        "recordOutcomes",
        outcomes -> {
          if (has(outcomes, "locked"::equals)) {
            throw failure("55P03");
          }
        });
    blockCommitsUntilAllAreSubmitted(
        () -> {
          submitAll("e", 20);
          submit("locked");
        });

    await().until(() -> written.size() == 20);
    assertThat(unwritten.isDatabaseAway()).as("the poller may go on").isFalse();
    submit("later");
    await().until(() -> written.contains("later"));
    assertThat(abandoned).isEmpty();
    store.heal();
    await().until(() -> written.contains("locked"));
  }

  @Test
  void aDeadlockIsTriedAgainWithTheWholeBatch() {
    AtomicInteger calls = new AtomicInteger();
    store.before(
        "recordOutcomes",
        outcomes -> {
          if (calls.incrementAndGet() == 1) {
            throw failure("40P01");
          }
        });
    blockCommitsUntilAllAreSubmitted(() -> submitAll("e", 20));

    await().until(() -> written.size() == 20);
    assertThat(calls.get()).isLessThanOrEqualTo(4);
  }

  @Test
  void aListenerThatThrowsConcernsOneOutcome() {
    start(
        1_000,
        MUCH,
        new OutcomeRecorder.Listener<Delivery>() {
          @Override
          public void written(Delivery delivery, Outcome outcome) {
            written.add(outcome.eventId());
            throw new AssertionError("injected");
          }

          @Override
          public void abandoned(Delivery delivery, Outcome outcome) {}

          @Override
          public void batchEnded() {}
        });
    submitAll("e", 10);

    await().until(() -> written.size() == 10);
    await().until(recorder::isIdle);
    assertThat(written).doesNotHaveDuplicates();
  }

  // ---- too much at once

  @Test
  void R13_workersWaitWhileTooManyOutcomesAreUnwritten() {
    blockWrites();
    start(3, MUCH, listener);
    submitAll("e", 3);
    CompletableFuture<Void> fourth = CompletableFuture.runAsync(() -> submit("fourth"));
    await().until(() -> store.has("fourth"));
    assertThat(fourth).isNotDone();
    unblock.countDown();

    await().until(fourth::isDone);
    await().until(() -> written.size() == 4);
  }

  @Test
  void R13_workersWaitWhileUnwrittenOutcomesKeepTooManyBytes() {
    blockWrites();
    start(1_000, 2_000, listener);
    submitLarge("large");
    CompletableFuture<Void> second = CompletableFuture.runAsync(() -> submitLarge("second"));
    await().until(() -> store.has("second"));
    assertThat(second).isNotDone();
    unblock.countDown();

    await().until(second::isDone);
    await().until(() -> written.size() == 2);
    submitLarge("third");
    await().until(() -> written.size() == 3);
  }

  private void submitLarge(String id) {
    store.seed(Events.event(id));
    recorder.submit(
        Delivery.ofCommitted(Events.eventOfSize(id, 5_000), null),
        Outcome.done(EventRef.any(id), 0, Events.CREATED));
  }

  @Test
  void R15_closingLetsWaitingWorkersGo() throws InterruptedException {
    blockWrites();
    start(1, MUCH, listener);
    submit("first");
    CompletableFuture<Void> second = CompletableFuture.runAsync(() -> submit("second"));
    await().until(() -> store.has("second"));

    recorder.close(List.of(), A_SECOND / 10);
    assertThat(recorder.unwritten()).isPositive();
    await().until(second::isDone);
  }

  // ---- the end

  @Test
  void R15_closingWritesWhatIsLeftAndThenReleasesLeases() throws InterruptedException {
    start();
    store.seed(
        Events.event("queued"),
        row -> {
          row.lockedBy = "me";
          row.lockedAt = Events.CREATED;
          row.leaseNo = 4;
          row.claims = 1;
        });
    submitAll("e", 100);

    recorder.close(List.of(new EventRef("queued", 4, "me")), 60 * A_SECOND);
    assertThat(recorder.unwritten()).isZero();
    assertThat(written).hasSize(100);
    assertThat(store.row("queued").lease()).isNull();
    assertThat(store.row("queued").claims()).isZero();
  }

  @Test
  void R15_closingIsBoundedWhenTheStoreHangs() throws InterruptedException {
    blockWrites();
    start();
    submit("e");
    await().until(() -> store.calls("recordOutcomes") == 1);
    submit("f");

    long start = System.nanoTime();
    recorder.close(List.of(), A_SECOND / 10);
    assertThat(recorder.unwritten()).isEqualTo(2);
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(60));
  }

  @Test
  void R15_closingIsBoundedDuringAnOutage() throws InterruptedException {
    database.onConnect =
        () -> {
          throw new SQLException("refused", "08001");
        };
    start();
    submitAll("e", 10);

    long start = System.nanoTime();
    recorder.close(List.of(), A_SECOND / 10);
    assertThat(recorder.unwritten()).isEqualTo(10);
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(60));
  }

  @Test
  void R15_closingAgainDoesNothing() throws InterruptedException {
    start();
    submit("e");
    recorder.close(List.of(), A_SECOND);
    recorder.close(List.of(), A_SECOND);

    assertThat(written).containsExactly("e");
  }

  @Test
  void R3_anOutcomeThatComesAfterTheEndIsStillWritten() throws InterruptedException {
    start();
    recorder.close(List.of(), A_SECOND);
    submit("late");

    assertThat(written).containsExactly("late");
    assertThat(store.status("late")).isEqualTo(EventStatus.DONE);
  }

  @Test
  void R1_outcomesFromManyThreadsDuringFailuresAreEachWrittenOnce() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    store.before(
        "recordOutcomes",
        outcomes -> {
          int call = calls.incrementAndGet();
          if (call % 3 == 0) {
            throw failure(call % 2 == 0 ? "40001" : "08006");
          }
        });
    AtomicInteger commits = new AtomicInteger();
    database.afterCommit =
        () -> {
          if (commits.incrementAndGet() % 4 == 0) {
            throw new SQLException("the answer was lost", "08006");
          }
        };
    start(100, MUCH, listener);
    List<CompletableFuture<Void>> submitters = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      String prefix = "t" + i + "-";
      submitters.add(CompletableFuture.runAsync(() -> submitAll(prefix, 200)));
    }
    for (CompletableFuture<Void> submitter : submitters) {
      submitter.get(30, TimeUnit.SECONDS);
    }

    await().atMost(Duration.ofSeconds(30)).until(recorder::isIdle);
    assertThat(written).hasSize(800).doesNotHaveDuplicates();
    assertThat(store.count(EventStatus.DONE)).isEqualTo(800);
  }
}
