package io.outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.DispatchResult;
import io.outbox.Outbox;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.jdbc.tx.JdbcTransactionManager;
import io.outbox.jdbc.tx.ThreadLocalTxContext;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import io.outbox.testing.Await;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The first code that anybody sees. */
class QuickStartTest {

  private static final String TABLE =
      """
      -- snippet: orders-table
      CREATE TABLE orders (id VARCHAR(36) PRIMARY KEY, cents INT NOT NULL)
      -- end
      """;

  @ParameterizedTest
  @EnumSource(names = {"H2", "POSTGRES"})
  void theFirstEventIsDelivered(TestDatabase kind) throws Exception {
    try (Database database = kind.fresh();
        HikariDataSource dataSource = database.pooled(4)) {
      execute(dataSource, TABLE);

      // snippet: wire
      OutboxSchema.create(dataSource); // once; or run the DDL with your migrations

      var connections = new DataSourceConnectionProvider(dataSource);
      var txContext = new ThreadLocalTxContext();
      var transactions = new JdbcTransactionManager(connections, txContext);

      var listeners = new DefaultListenerRegistry();
      listeners.register(
          "OrderPlaced",
          event -> {
            System.out.println("deliver " + event.payloadJson()); // your work
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
      try (var tx = transactions.begin();
          var insert = tx.connection().prepareStatement("INSERT INTO orders VALUES ('A-17', 99)")) {
        insert.executeUpdate();
        outbox.writer().write("OrderPlaced", "{\"orderId\": \"A-17\"}");
        tx.commit(); // the listener is called now; after a rollback it never is
      }
      // end

      Await.until(
          "the event to be DONE",
          Duration.ofSeconds(30),
          () -> count(dataSource, "outbox_event WHERE status = 1") == 1);
      outbox.close();
      assertThat(count(dataSource, "orders")).isOne();
    }
  }

  @Test
  void aPoolIsMadeWithoutAConnection() {
    // snippet: data-source
    var dataSource = new HikariDataSource();
    dataSource.setJdbcUrl("jdbc:postgresql://localhost/shop");
    dataSource.setUsername("shop");
    dataSource.setPassword("secret");
    // end

    assertThat(dataSource.getJdbcUrl()).endsWith("/shop");
    dataSource.close();
  }

  private static void execute(DataSource dataSource, String sql) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static int count(DataSource dataSource, String from) {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT count(*) FROM " + from)) {
      rows.next();
      return rows.getInt(1);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
