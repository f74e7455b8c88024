package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.jdbc.tx.JdbcTransactionManager;
import io.outbox.jdbc.tx.JdbcTransactionManager.Savepoint;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import io.outbox.model.EventStatus;
import io.outbox.testdb.TestDatabase;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Timeout;

/** R2: what was rolled back is never delivered. */
@Timeout(300)
class NothingRolledBackIsDeliveredTest {

  @EachDatabase
  void R2_aRolledBackTransactionDeliversNothing(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      Outbox single = scenario.start(scenario.singleNode().intervalMs(10));
      String kept = writeAfterRollbacks(scenario, single.writer());
      scenario.awaitStatus(kept, EventStatus.DONE);
      single.close(); // delivers what is still queued
      assertThat(scenario.deliveries.ids()).containsExactly(kept);

      Member member = new Member(scenario, "a").start(Duration.ofSeconds(30));
      String leased = writeAfterRollbacks(scenario, member.outbox().writer());
      scenario.awaitStatus(leased, EventStatus.DONE);
      member.outbox().close();
      assertThat(member.deliveries.ids()).containsExactly(leased);
    }
  }

  private static String writeAfterRollbacks(Scenario scenario, OutboxWriter writer) {
    try (Transaction transaction = scenario.transactions.begin()) {
      writer.writeAll(Scenario.events(3));
      transaction.rollback();
    }
    try (Transaction transaction = scenario.transactions.begin()) {
      writer.write(Scenario.event()); // rolled back by close()
    }
    return scenario.write(writer, Scenario.event());
  }

  @EachDatabase
  void R2_aRollbackToASavepointDeliversWhatIsLeft(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      Outbox outbox = scenario.start(scenario.singleNode());
      List<String> kept;
      try (Transaction transaction = scenario.transactions.begin()) {
        String before = outbox.writer().write(Scenario.event());
        Savepoint outer = transaction.savepoint();
        outbox.writer().write(Scenario.event());
        Savepoint inner = transaction.savepoint();
        outbox.writer().write(Scenario.event());
        transaction.rollbackTo(inner);
        outbox.writer().write(Scenario.event());
        transaction.rollbackTo(outer);
        kept = List.of(before, outbox.writer().write(Scenario.event()));
        transaction.commit();
      }
      scenario.awaitAllDone(2);
      outbox.close();
      assertThat(scenario.deliveries.ids()).containsExactlyInAnyOrderElementsOf(kept);
    }
  }

  @EachDatabase
  void R2_rowsAreCheckedForSavepointsMadeBehindOurBack(TestDatabase kind) throws Exception {
    try (Scenario scenario = Scenario.on(kind)) {
      Outbox outbox = scenario.start(scenario.singleNode().checkRowsBeforeHotDelivery(true));
      List<String> kept = writeAroundARawSavepoint(scenario, outbox.writer());
      scenario.awaitAllDone(2);
      outbox.close();
      assertThat(scenario.deliveries.ids()).containsExactlyInAnyOrderElementsOf(kept);
    }
  }

  @EachDatabase
  void R2_rowsAreCheckedBesideOtherNodesToo(TestDatabase kind) throws Exception {
    try (Scenario scenario = Scenario.on(kind)) {
      Member node =
          new Member(scenario, "a")
              .start(Duration.ofSeconds(30), builder -> builder.checkRowsBeforeHotDelivery(true));
      List<String> kept = writeAroundARawSavepoint(scenario, node.outbox().writer());
      scenario.awaitAllDone(2);
      node.outbox().close();
      assertThat(node.deliveries.ids()).containsExactlyInAnyOrderElementsOf(kept);
    }
  }

  private static List<String> writeAroundARawSavepoint(Scenario scenario, OutboxWriter writer)
      throws Exception {
    try (JdbcTransactionManager.Transaction transaction = scenario.transactions.begin()) {
      String before = writer.write(Scenario.event());
      java.sql.Savepoint savepoint = transaction.connection().setSavepoint();
      writer.write(Scenario.event());
      transaction.connection().rollback(savepoint);
      String after = writer.write(Scenario.event());
      transaction.commit();
      return List.of(before, after);
    }
  }

  @EachDatabase
  void R2_anEventWrittenAgainAfterARollbackIsDeliveredOnce(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      Outbox outbox = scenario.start(scenario.singleNode());
      EventEnvelope event = Scenario.event();
      try (Transaction transaction = scenario.transactions.begin()) {
        outbox.writer().write(event);
        transaction.rollback();
      }
      scenario.write(outbox.writer(), event);
      scenario.awaitStatus(event.eventId(), EventStatus.DONE);
      outbox.close();
      assertThat(scenario.deliveries.ids()).containsExactly(event.eventId());
    }
  }
}
