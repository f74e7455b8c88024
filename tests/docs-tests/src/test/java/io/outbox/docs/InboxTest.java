package io.outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.inbox.Inbox;
import io.outbox.inbox.InboxSchema;
import io.outbox.inbox.KafkaEventId;
import io.outbox.purge.OutboxPurgeScheduler;
import java.nio.charset.StandardCharsets;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;

/** Consumers that process an event once. */
class InboxTest extends DocsDatabase {

  @Test
  void anEventIsProcessedOnce() throws Exception {
    String eventId = "01JZ3V8K6T2QH4W7N9P5R1XYZA";

    // snippet: inbox
    InboxSchema.create(dataSource); // once; or run the DDL with your migrations
    Inbox inbox = Inbox.builder().dataSource(dataSource).build();

    boolean isNew =
        inbox.processOnce(
            eventId,
            "billing", // each consumer processes an event once
            conn -> {
              try (PreparedStatement insert =
                  conn.prepareStatement("INSERT INTO orders VALUES (?, ?)")) {
                insert.setString(1, "A-17");
                insert.setInt(2, 1999);
                insert.executeUpdate();
              }
            });
    // end

    assertThat(isNew).isTrue();
    assertThat(inbox.processOnce(eventId, "billing", conn -> {})).isFalse();

    // snippet: inbox-purge
    OutboxPurgeScheduler forget =
        OutboxPurgeScheduler.builder()
            .connectionProvider(connectionProvider)
            .purger(inbox.purger())
            .retention(Duration.ofDays(30)) // longer than anybody delivers again
            .build();
    forget.start();
    // end

    forget.close();
    assertThat(inbox.processOnce(eventId, "billing", conn -> {})).isFalse();
  }

  @Test
  void itJoinsTheTransactionOfItsCaller() throws Exception {
    InboxSchema.create(dataSource);

    // snippet: inbox-joined
    Inbox inbox = Inbox.builder().txContext(txContext).build();

    transactions.run(
        tx -> inbox.processOnce("event-1", "billing", conn -> insertOrder(conn, "A-17")));
    // end

    transactions.run(
        tx -> assertThat(inbox.processOnce("event-1", "billing", conn -> {})).isFalse());
  }

  @Test
  void aRecordOfKafkaHasAnEventId() throws SQLException {
    InboxSchema.create(dataSource);
    Inbox inbox = Inbox.builder().dataSource(dataSource).build();
    ConsumerRecord<String, String> record = new ConsumerRecord<>("orders", 0, 0, "A-17", "{}");
    record.headers().add("outbox-event-id", "event-1".getBytes(StandardCharsets.UTF_8));

    // snippet: inbox-kafka
    inbox.processOnce(KafkaEventId.of(record), "billing", conn -> insertOrder(conn, record.key()));
    // end

    assertThat(inbox.processOnce("event-1", "billing", conn -> {})).isFalse();
  }
}
