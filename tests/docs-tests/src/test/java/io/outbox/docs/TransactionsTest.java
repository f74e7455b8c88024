package io.outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.DefaultOutboxWriter;
import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.model.EventStatus;
import io.outbox.testing.InMemoryOutboxStore;
import io.outbox.testing.StubTxContext;
import java.sql.SQLException;
import java.sql.Savepoint;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Transactions by hand. */
class TransactionsTest extends DocsDatabase {

  private Outbox outbox;
  private OutboxWriter writer;

  @BeforeEach
  void start() {
    listeners.registerDefault(listener);
    outbox = singleNode().build();
    writer = outbox.writer();
  }

  @AfterEach
  void stop() {
    outbox.close();
  }

  @Test
  void aTransactionIsCommittedAtTheEndOrRolledBack() throws SQLException {
    // snippet: transaction
    String eventId =
        transactions.call(
            tx -> {
              insertOrder(tx.connection(), "A-17");
              return writer.write("OrderPlaced", "{\"orderId\": \"A-17\"}");
            });
    // end

    listener.awaitCount(1, SOON);
    assertThat(listener.deliveredIds()).containsExactly(eventId);
    assertThatThrownBy(
            () ->
                transactions.run(
                    tx -> {
                      writer.write("OrderPlaced", "{}");
                      throw new IllegalArgumentException("no");
                    }))
        .hasMessage("no");
    assertThat(count("outbox_event")).isOne();
  }

  @Test
  void aSavepointTakesItsEventsAlong() throws SQLException {
    // snippet: savepoint
    transactions.run(
        tx -> {
          insertOrder(tx.connection(), "A-17");
          writer.write("OrderPlaced", "{\"orderId\": \"A-17\"}");
          var beforeGift = tx.savepoint();
          try {
            insertOrder(tx.connection(), "A-17"); // fails: there is one
            writer.write("GiftAdded", "{\"orderId\": \"A-17\"}");
          } catch (SQLException e) {
            tx.rollbackTo(beforeGift); // takes back the rows and the events since
          }
        });
    // end

    listener.awaitCount(1, SOON);
    assertThat(listener.deliveries().get(0).event().eventType()).isEqualTo("OrderPlaced");
    assertThat(count("outbox_event")).isOne();

    transactions.run(
        tx -> {
          var savepoint = tx.savepoint();
          writer.write("GiftAdded", "{\"orderId\": \"A-18\"}");
          tx.rollbackTo(savepoint);
        });
    outbox.close();
    assertThat(listener.count()).isOne();
  }

  @Test
  void aSavepointOfTheConnectionIsNoticedIfAskedFor() throws Exception {
    outbox.close();
    outbox = singleNode().checkRowsBeforeHotDelivery(true).build();
    transactions.run(
        tx -> {
          Savepoint savepoint = tx.connection().setSavepoint();
          outbox.writer().write("GiftAdded", "{}");
          tx.connection().rollback(savepoint);
          outbox.writer().write("OrderPlaced", "{}");
        });
    awaitEvents(EventStatus.DONE, 1);
    outbox.close();
    assertThat(listener.count()).isOne();
    assertThat(listener.deliveries().get(0).event().eventType()).isEqualTo("OrderPlaced");
  }

  @Test
  void aWriteOutsideATransactionIsRefused() {
    // snippet: no-transaction
    assertThatThrownBy(() -> writer.write("OrderPlaced", "{}"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("there is no active transaction");
    // end
  }

  @Test
  void otherRefusalsSayWhy() throws SQLException {
    transactions.run(
        tx -> {
          tx.connection().setAutoCommit(true);
          assertThatThrownBy(() -> writer.write("OrderPlaced", "{}"))
              .hasMessageStartingWith("the transaction's connection is in auto-commit mode");
          tx.connection().setAutoCommit(false);
        });

    // H2 takes no notice of setReadOnly
    InMemoryOutboxStore inMemory = new InMemoryOutboxStore();
    StubTxContext readOnly = new StubTxContext(inMemory.database());
    readOnly.beginReadOnly();
    assertThatThrownBy(() -> new DefaultOutboxWriter(readOnly, inMemory).write("OrderPlaced", "{}"))
        .hasMessageStartingWith("the transaction is read-only");
  }
}
