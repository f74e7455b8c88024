package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.jdbc.tx.JdbcTransactionManager;
import io.outbox.testdb.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Timeout;

/** R11: a delayed event whose time has come before its commit waits for nothing else. */
@Timeout(300)
class DueAtCommitTest {

  /** Far longer than the test waits: only a wake-up explains a delivery. */
  private static final long NEVER_MS = 600_000;

  @EachDatabase
  void R11_aDelayedEventThatIsDueAtItsCommitIsDeliveredAtOnce(TestDatabase kind) {
    for (BuiltMode mode : BuiltMode.values()) {
      try (Scenario scenario = BuiltMode.on(kind)) {
        Outbox outbox = scenario.start(mode.builder(scenario, NEVER_MS));
        // whatever a node does at its start is over when this is delivered
        scenario.write(outbox.writer(), event("first", Instant.now()));
        await(mode + " delivers").until(() -> scenario.deliveries.count() == 1);

        String id;
        try (JdbcTransactionManager.Transaction transaction = scenario.transactions.begin()) {
          Instant due = Instant.now().plusMillis(150);
          id = outbox.writer().write(event("late", due));
          await().until(() -> scenario.databaseTime().isAfter(due));
          transaction.commit();
        }
        await(mode + " delivers what is due")
            .atMost(Duration.ofSeconds(60))
            .until(() -> scenario.deliveries.has(id));
        assertThat(scenario.deliveries.countOf(id)).isEqualTo(1);
      }
    }
  }

  private static EventEnvelope event(String key, Instant due) {
    return EventEnvelope.builder(Scenario.TYPE)
        .occurredAt(due.minusMillis(150))
        .availableAt(due)
        .orderingKey(key)
        .payloadJson("{}")
        .build();
  }
}
