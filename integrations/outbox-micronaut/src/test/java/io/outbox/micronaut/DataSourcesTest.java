package io.outbox.micronaut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.micronaut.context.ApplicationContext;
import io.micronaut.core.type.Argument;
import io.micronaut.inject.qualifiers.Qualifiers;
import io.micronaut.transaction.TransactionOperations;
import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import io.outbox.testing.RecordingListener;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
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
    Map<String, Object> properties = with("orders", "none");
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

  @Test
  void aSecondOutboxAndItsPartsLeaveTheFirstAlone() {
    OutboxSchema.create(second.dataSource());
    try (ApplicationContext context = ApplicationContext.run(with("stock", "second"))) {
      RecordingListener ofFirst = new RecordingListener();
      RecordingListener ofSecond =
          context.getBean(RecordingListener.class, Qualifiers.byName("stock"));
      ofFirst.failNext(1);
      unnamedRegistry(context).registerDefault(ofFirst);

      String inFirst = inTransactionOf("default", context, context.getBean(OutboxWriter.class));
      Outbox stock = context.getBean(Outbox.class, Qualifiers.byName("stock"));
      String inSecond = inTransactionOf("stock", context, stock.writer());

      ofFirst.awaitCount(2, SOON);
      ofSecond.awaitCount(1, SOON);
      assertThat(ofFirst.deliveredIds()).containsOnly(inFirst);
      assertThat(ofSecond.deliveredIds()).containsExactly(inSecond);
      assertThat(context.getBean(Outbox.class)).isNotSameAs(stock);
    }
  }

  private static DefaultListenerRegistry unnamedRegistry(ApplicationContext context) {
    List<DefaultListenerRegistry> all =
        new ArrayList<>(context.getBeansOfType(DefaultListenerRegistry.class));
    all.remove(context.getBean(DefaultListenerRegistry.class, Qualifiers.byName("stock")));
    return all.get(0);
  }

  private Map<String, Object> with(String name, String spec) {
    Map<String, Object> properties = new HashMap<>(TestApp.properties(first, spec));
    properties.put("datasources." + name + ".url", second.jdbcUrl());
    properties.put("datasources." + name + ".username", second.user());
    properties.put("datasources." + name + ".password", second.password());
    return properties;
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
