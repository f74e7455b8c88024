package io.outbox.spring.events.it;

import io.outbox.EventEnvelope;
import io.outbox.spring.events.it.shop.ShopApplication;
import io.outbox.testdb.Database;
import io.outbox.testing.RecordingListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

/** A running {@link ShopApplication}. */
final class Shop implements AutoCloseable {

  static final Duration SOON = Duration.ofSeconds(60);

  private final ConfigurableApplicationContext context;

  private Shop(ConfigurableApplicationContext context) {
    this.context = context;
    jdbc().execute("CREATE TABLE IF NOT EXISTS orders (id VARCHAR(64) PRIMARY KEY)");
  }

  /** On a database in memory. */
  static Shop start(Class<?>... more) {
    return start(List.of("spring.datasource.url=" + inMemory()), more);
  }

  static Shop start(List<String> properties, Class<?>... more) {
    return new Shop(
        new SpringApplicationBuilder(ShopApplication.class)
            .sources(more)
            .properties(properties.toArray(String[]::new))
            .run());
  }

  static Shop start(Database database, String... more) {
    List<String> properties =
        new ArrayList<>(
            List.of(
                "spring.datasource.url=" + database.jdbcUrl(),
                "spring.datasource.username=" + database.user(),
                "spring.datasource.password=" + database.password(),
                "outbox.schema.initialize=always"));
    properties.addAll(List.of(more));
    return start(properties);
  }

  static String inMemory() {
    return "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
  }

  <T> T bean(Class<T> type) {
    return context.getBean(type);
  }

  JdbcTemplate jdbc() {
    return bean(JdbcTemplate.class);
  }

  TransactionTemplate tx() {
    return new TransactionTemplate(bean(TransactionTemplate.class).getTransactionManager());
  }

  TransactionTemplate tx(int propagation) {
    TransactionTemplate template = tx();
    template.setPropagationBehavior(propagation);
    return template;
  }

  void inTransaction(Consumer<TransactionStatus> work) {
    tx().executeWithoutResult(work);
  }

  void publish(Object event) {
    context.publishEvent(event);
  }

  RecordingListener delivered() {
    return bean(RecordingListener.class);
  }

  /** The only event that the recording listener gets. */
  EventEnvelope awaitOne() {
    delivered().awaitCount(1, SOON);
    return delivered().deliveries().get(0).event();
  }

  int count(String table) {
    return jdbc().queryForObject("SELECT count(*) FROM " + table, Integer.class);
  }

  @Override
  public void close() {
    context.close();
  }
}
