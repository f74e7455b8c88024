package com.example.shop;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.jdbc.tx.JdbcTransactionManager;
import io.outbox.jdbc.tx.ThreadLocalTxContext;
import io.outbox.registry.DefaultListenerRegistry;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.function.Consumer;
import javax.sql.DataSource;

/** The steps of the README with plain JDBC. */
final class Shop implements AutoCloseable {

  private final JdbcTransactionManager transactions;
  private final Outbox outbox;

  Shop(DataSource dataSource, Consumer<String> mails) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE orders (id VARCHAR(36) PRIMARY KEY)");
    }
    OutboxSchema.create(dataSource);
    var connections = new DataSourceConnectionProvider(dataSource);
    var txContext = new ThreadLocalTxContext();
    transactions = new JdbcTransactionManager(connections, txContext);
    var listeners = new DefaultListenerRegistry();
    listeners.register(
        "OrderPlaced",
        event -> {
          mails.accept(event.headers().get("customer") + " " + event.payloadJson());
          return DispatchResult.done();
        });
    outbox =
        Outbox.singleNode()
            .connectionProvider(connections)
            .txContext(txContext)
            .outboxStore(JdbcOutboxStores.detect(dataSource))
            .listenerRegistry(listeners)
            .build();
  }

  void place(String orderId) throws SQLException {
    try (var tx = transactions.begin()) {
      try (PreparedStatement insert =
          tx.connection().prepareStatement("INSERT INTO orders VALUES (?)")) {
        insert.setString(1, orderId);
        insert.executeUpdate();
      }
      outbox
          .writer()
          .write(
              EventEnvelope.builder("OrderPlaced")
                  .header("customer", "Ada")
                  .payloadJson("{\"orderId\": \"" + orderId + "\"}")
                  .build());
      tx.commit();
    }
  }

  @Override
  public void close() {
    outbox.close();
  }
}
