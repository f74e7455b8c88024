package io.outbox.quarkus.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import io.agroal.api.AgroalDataSource;
import io.outbox.OutboxWriter;
import io.outbox.annotation.OutboxListener;
import io.outbox.testing.Await;
import io.quarkus.agroal.DataSource;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.test.QuarkusUnitTest;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The outbox on one of several datasources. */
class NamedDataSourceTest {

  @RegisterExtension
  static final QuarkusUnitTest APPLICATION =
      new QuarkusUnitTest()
          .withConfigurationResource("shop.properties")
          .overrideConfigKey("quarkus.datasource.jdbc.url", "jdbc:h2:mem:other;DB_CLOSE_DELAY=-1")
          .overrideConfigKey("quarkus.datasource.orders.db-kind", "h2")
          .overrideConfigKey(
              "quarkus.datasource.orders.jdbc.url", "jdbc:h2:mem:orders;DB_CLOSE_DELAY=-1")
          .overrideConfigKey("quarkus.outbox.datasource", "orders")
          .overrideConfigKey("quarkus.outbox.table-name", "order_events");

  static final List<String> DELIVERED = new CopyOnWriteArrayList<>();

  @Inject OutboxWriter writer;

  @Inject AgroalDataSource other;

  @Inject
  @DataSource("orders")
  AgroalDataSource orders;

  static class Listener {
    @OutboxListener("OrderPlaced")
    void on(String json) {
      DELIVERED.add(json);
    }
  }

  private static boolean hasTable(AgroalDataSource dataSource) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        ResultSet tables =
            connection
                .getMetaData()
                .getTables(null, null, "ORDER_EVENTS", new String[] {"TABLE", "BASE TABLE"})) {
      return tables.next();
    }
  }

  @Test
  void eventsAreInTheDataSourceThatIsNamed() throws SQLException {
    QuarkusTransaction.requiringNew().run(() -> writer.write("OrderPlaced", "{}"));
    Await.until("a delivery", Duration.ofSeconds(60), () -> !DELIVERED.isEmpty());

    assertThat(hasTable(orders)).isTrue();
    assertThat(hasTable(other)).isFalse();
  }
}
