package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.EventListener;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import io.outbox.model.EventStatus;
import io.outbox.spi.PendingBatch;
import io.outbox.testdb.TestDatabase;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** R5: leases last as long as they are needed, by the database's time, and have one holder. */
@Timeout(300)
class LeaseTest {

  private static EventListener doneAfter(CountDownLatch release) {
    return event -> {
      release.await();
      return DispatchResult.done();
    };
  }

  @EachDatabase
  @Execution(ExecutionMode.CONCURRENT)
  void R5_theLeaseOfASlowListenerIsRenewed(TestDatabase kind) {
    Duration timeout = Duration.ofSeconds(5); // ended by nobody who is only slow
    try (Scenario scenario = Scenario.on(kind)) {
      CountDownLatch release = new CountDownLatch(1);
      Member slow = new Member(scenario, "slow");
      slow.deliveries.then(doneAfter(release));
      slow.start(timeout, builder -> builder.workerCount(2));
      // two came by the hot path, two by the cold; two run, two wait
      List<String> ids = new ArrayList<>(slow.write(2));
      ids.addAll(scenario.write(scenario.coldWriter(), Scenario.events(2)));
      await().until(() -> ids.stream().allMatch(slow::holds));
      Member other = new Member(scenario, "other").start(timeout);

      Instant later = scenario.databaseTime().plus(timeout).plusMillis(300);
      await().until(() -> scenario.databaseTime().isAfter(later));
      assertThat(other.deliveries.ids()).isEmpty();
      release.countDown();
      scenario.awaitAllDone(4);
      assertThat(slow.deliveries.ids()).containsExactlyInAnyOrderElementsOf(ids);
    }
  }

  @EachDatabase
  @Execution(ExecutionMode.CONCURRENT)
  void R5_theOutcomeOfALostLeaseIsNotWrittenOverTheNewOwners(TestDatabase kind) throws Exception {
    try (Scenario scenario = Scenario.on(kind)) {
      CountDownLatch releaseOld = new CountDownLatch(1);
      CountDownLatch releaseNew = new CountDownLatch(1);
      CountDownLatch lateOutcome = new CountDownLatch(1);
      Member old = new Member(scenario, "old");
      old.deliveries.then(
          event -> {
            releaseOld.await();
            return DispatchResult.dead("too late");
          });
      // it is cut off: it cannot renew its lease, nor claim the event again
      old.store.on("renewLeases", call -> Set.of());
      old.store.on(
          "fetchPending", call -> new PendingBatch(List.of(), Optional.empty(), Optional.empty()));
      old.store.on(
          "recordOutcomes",
          call -> {
            Object results = call.proceed();
            lateOutcome.countDown();
            return results;
          });
      old.start(Duration.ofMinutes(1));
      String id = scenario.write(old.outbox().writer(), Scenario.event());
      await().until(() -> old.deliveries.has(id));
      scenario.endLeases();

      Member owner = new Member(scenario, "owner");
      owner.deliveries.then(doneAfter(releaseNew));
      owner.start(Duration.ofMinutes(1));
      await().until(() -> owner.deliveries.has(id));
      releaseOld.countDown();
      lateOutcome.await();
      old.outbox().close();
      assertThat(scenario.status(id)).isEqualTo(EventStatus.NEW);
      assertThat(owner.holds(id)).isTrue();

      releaseNew.countDown();
      scenario.awaitStatus(id, EventStatus.DONE);
      assertThat(old.metrics.outcomes()).isZero();
      await().until(() -> owner.metrics.successes() == 1); // counted after its commit
      assertThat(scenario.column("last_error", id)).isNull();
    }
  }

  /** Nobody renews a lease before the commit. */
  @EachDatabase
  @Execution(ExecutionMode.CONCURRENT)
  void R5_anEventOfATransactionLongerThanItsLeaseIsDeliveredByOneNode(TestDatabase kind) {
    Duration timeout = Duration.ofSeconds(5);
    try (Scenario scenario = Scenario.on(kind)) {
      Member writer = new Member(scenario, "a").start(timeout, b -> b.intervalMs(5));
      Member other = new Member(scenario, "b").start(timeout, b -> b.intervalMs(5));
      try (Transaction transaction = scenario.transactions.begin()) {
        writer.outbox().writer().writeAll(Scenario.events(20));
        Instant expired = scenario.databaseTime().plus(timeout).plusMillis(100);
        await().until(() -> scenario.databaseTime().isAfter(expired));
        transaction.commit();
      }
      scenario.awaitAllDone(20);
      writer.outbox().close();
      other.outbox().close();
      assertThat(writer.deliveries.count() + other.deliveries.count()).isEqualTo(20);
    }
  }

  @EachDatabase
  @Execution(ExecutionMode.CONCURRENT)
  void R5_nodesWhoseClocksAreHoursWrongRespectEachOthersLeases(TestDatabase kind) {
    Duration timeout = Duration.ofMinutes(1);
    try (Scenario scenario = Scenario.on(kind)) {
      CountDownLatch release = new CountDownLatch(1);
      List<Member> members = new ArrayList<>();
      for (int hours : List.of(0, 3, -3)) {
        Member member = new Member(scenario, "clock" + hours);
        member.deliveries.then(doneAfter(release));
        Clock wrong = Clock.offset(Clock.systemUTC(), Duration.ofHours(hours));
        members.add(member.start(timeout, builder -> builder.clock(wrong)));
      }
      for (Member member : members) {
        String id = member.write();
        await().until(() -> member.deliveries.has(id));
        Instant now = scenario.databaseTime();
        assertThat(scenario.instant("locked_at", id).plus(timeout))
            .as("the end of the lease")
            .isBetween(now, now.plus(timeout));
      }
      members.forEach(member -> member.awaitPolls(5));
      release.countDown();
      scenario.awaitAllDone(3);
      assertThat(members).allSatisfy(m -> assertThat(m.deliveries.count()).isEqualTo(1));
    }
  }

  @EachDatabase
  @Execution(ExecutionMode.CONCURRENT)
  void R5_aNodeWhoseClockIsHoursWrongRetriesInTime(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      for (int hours : List.of(3, -3)) {
        Member member = new Member(scenario, "clock" + hours);
        member.deliveries.then(
            event -> {
              if (member.deliveries.countOf(event.eventId()) == 1) {
                throw new IllegalStateException("once");
              }
              return DispatchResult.done();
            });
        Clock wrong = Clock.offset(Clock.systemUTC(), Duration.ofHours(hours));
        member.start(
            Duration.ofMinutes(1), builder -> builder.clock(wrong).retryPolicy(attempts -> 200));
        String id = member.write();
        scenario.awaitStatus(id, EventStatus.DONE);
        Instant due = scenario.instant("available_at", id);
        assertThat(scenario.instant("done_at", id)).isBetween(due, due.plus(Duration.ofMinutes(5)));
        member.outbox().close();
      }
    }
  }
}
