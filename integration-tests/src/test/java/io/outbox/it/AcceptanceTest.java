package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.Outbox;
import io.outbox.jdbc.tx.JdbcTransactionManager;
import io.outbox.model.EventStatus;
import io.outbox.testdb.TestDatabase;

/** The acceptance tests of the specification's section 18, by their numbers. */
class AcceptanceTest {

  @EachDatabase
  void acceptance18_1_anEventOfARolledBackTransactionIsNotThere(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      Outbox outbox = scenario.start(scenario.singleNode());
      String id;
      try (JdbcTransactionManager.Transaction transaction = scenario.transactions.begin()) {
        id = outbox.writer().write(Scenario.event());
        transaction.rollback();
      }
      assertThat(scenario.status(id)).isNull();
    }
  }

  @EachDatabase
  void acceptance18_2_aCommittedEventIsDeliveredHotAndDone(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      Outbox outbox = scenario.start(scenario.singleNode());
      String id = scenario.write(outbox.writer(), Scenario.event());
      await().until(() -> scenario.status(id) == EventStatus.DONE);
      assertThat(scenario.deliveries.ids()).containsExactly(id);
    }
  }
}
