package io.outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.DispatchResult;
import io.outbox.Outbox;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.jdbc.tx.JdbcTransactionManager;
import io.outbox.jdbc.tx.ThreadLocalTxContext;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.testing.Await;
import java.sql.PreparedStatement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The first code that anybody sees. */
class QuickStartTest extends DocsDatabase {

  private final List<String> sent = Collections.synchronizedList(new ArrayList<>());

  @Test
  void theFirstEventIsDelivered() throws Exception {
    execute("DROP TABLE outbox_event");

    // snippet: wire
    OutboxSchema.create(dataSource); // once; or run the DDL with your migrations

    var connections = new DataSourceConnectionProvider(dataSource);
    var txContext = new ThreadLocalTxContext();
    var transactions = new JdbcTransactionManager(connections, txContext);

    var listeners = new DefaultListenerRegistry();
    listeners.register(
        "OrderPlaced",
        event -> {
          sendToBroker(event.eventId(), event.payloadJson());
          return DispatchResult.done();
        });

    Outbox outbox =
        Outbox.singleNode()
            .connectionProvider(connections)
            .txContext(txContext)
            .outboxStore(JdbcOutboxStores.detect(dataSource))
            .listenerRegistry(listeners)
            .build(); // delivery starts here and ends with outbox.close()
    // end

    // snippet: write
    try (var tx = transactions.begin()) {
      try (PreparedStatement insert =
          tx.connection().prepareStatement("INSERT INTO orders VALUES (?, ?)")) {
        insert.setString(1, "A-17");
        insert.setInt(2, 1999);
        insert.executeUpdate();
      }
      outbox.writer().write("OrderPlaced", "{\"orderId\": \"A-17\"}");
      tx.commit(); // the listener is called now; after a rollback it never is
    }
    // end

    Await.until("the listener to be called", SOON, () -> !sent.isEmpty());
    outbox.close();
    assertThat(sent).singleElement().asString().endsWith("{\"orderId\": \"A-17\"}");
    assertThat(count("orders")).isOne();
    assertThat(count("outbox_event WHERE status = 1")).isOne();
  }

  private void sendToBroker(String eventId, String payload) {
    sent.add(eventId + " " + payload);
  }
}
