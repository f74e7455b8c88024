package io.outbox.quarkus.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import io.agroal.api.AgroalDataSource;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.annotation.OutboxListener;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.jta.JtaTxContext;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.testing.Await;
import io.quarkus.agroal.DataSource;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.Startup;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.common.annotation.Identifier;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The outbox on one of several datasources, and a second one on another. */
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
  static final List<String> OF_STOCK = new CopyOnWriteArrayList<>();

  @Inject OutboxWriter writer;

  @Inject AgroalDataSource other;

  @Inject
  @Identifier("stock")
  Outbox stock;

  @Inject
  @DataSource("orders")
  AgroalDataSource orders;

  static class Listener {
    @OutboxListener("OrderPlaced")
    void on(String json) {
      DELIVERED.add(json);
    }
  }

  // snippet: quarkus-second
  static class StockOutbox {

    @Startup
    @Produces
    @Singleton
    @Identifier("stock")
    Outbox make(AgroalDataSource dataSource, TransactionSynchronizationRegistry registry) {
      OutboxSchema.create(dataSource);
      return Outbox.singleNode()
          .connectionProvider(new DataSourceConnectionProvider(dataSource))
          .txContext(new JtaTxContext(registry, dataSource))
          .outboxStore(JdbcOutboxStores.detect(dataSource))
          .listenerRegistry(new DefaultListenerRegistry().register("StockTaken", new StockMails()))
          .build();
    }

    void stop(@Observes ShutdownEvent event, @Identifier("stock") Outbox outbox) {
      outbox.close();
    }
  }

  // end

  static class StockMails implements EventListener {
    @Override
    public DispatchResult onEvent(EventEnvelope event) {
      OF_STOCK.add(event.payloadJson());
      return DispatchResult.done();
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

  @Test
  void aSecondOutboxLeavesTheFirstAlone() {
    DELIVERED.clear();
    QuarkusTransaction.requiringNew().run(() -> writer.write("OrderPlaced", "{\"of\": \"first\"}"));
    QuarkusTransaction.requiringNew()
        .run(() -> stock.writer().write("StockTaken", "{\"of\": \"second\"}"));
    Await.until(
        () -> "both deliveries, so far " + DELIVERED + OF_STOCK,
        Duration.ofSeconds(60),
        () -> !DELIVERED.isEmpty() && !OF_STOCK.isEmpty());

    assertThat(DELIVERED).containsExactly("{\"of\": \"first\"}");
    assertThat(OF_STOCK).containsExactly("{\"of\": \"second\"}");
  }
}
