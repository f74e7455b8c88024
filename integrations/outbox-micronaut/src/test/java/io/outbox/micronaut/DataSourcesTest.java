package io.outbox.micronaut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.micronaut.context.ApplicationContext;
import io.micronaut.core.type.Argument;
import io.micronaut.inject.qualifiers.Qualifiers;
import io.micronaut.transaction.TransactionOperations;
import io.outbox.OutboxWriter;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import io.outbox.testing.RecordingListener;
import java.sql.Connection;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** An outbox belongs to one of several DataSources. */
class DataSourcesTest {

  private static final Duration SOON = Duration.ofSeconds(60);

  @AutoClose private final Database first = TestDatabase.H2.fresh();
  @AutoClose private final Database second = TestDatabase.H2.fresh();

  @Test
  void R16_onlyTransactionsOfTheChosenDataSourceTakeEvents() {
    Map<String, Object> properties = new HashMap<>(TestApp.properties(first, "none"));
    properties.put("datasources.orders.url", second.jdbcUrl());
    properties.put("datasources.orders.username", second.user());
    properties.put("datasources.orders.password", second.password());
    properties.put("outbox.datasource", "orders");
    try (ApplicationContext context = ApplicationContext.run(properties)) {
      RecordingListener listener = new RecordingListener();
      context.getBean(DefaultListenerRegistry.class).registerDefault(listener);
      OutboxWriter writer = context.getBean(OutboxWriter.class);

      String id = inTransactionOf("orders", context, writer);
      listener.awaitCount(1, SOON);
      assertThat(listener.deliveredIds()).containsExactly(id);
      assertThatIllegalStateException()
          .isThrownBy(() -> inTransactionOf("default", context, writer))
          .withMessageContainingAll(
              "no transaction of the DataSource", "@Transactional(\"orders\")");
    }
  }

  @SuppressWarnings("unchecked")
  private static String inTransactionOf(
      String dataSource, ApplicationContext context, OutboxWriter writer) {
    TransactionOperations<Connection> transactions =
        context.getBean(
            Argument.of(TransactionOperations.class, Connection.class),
            Qualifiers.byName(dataSource));
    return transactions.executeWrite(status -> writer.write("OrderPlaced", "{}"));
  }
}
