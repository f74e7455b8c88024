package io.outbox.moving;

import java.util.Map;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** A Spring Boot application with one of the old libraries. */
final class SpringApp implements AutoCloseable {

  private final ConfigurableApplicationContext context;
  private final TransactionTemplate transactions;

  SpringApp(
      Class<?> application,
      DataSource dataSource,
      Map<String, Object> properties,
      Consumer<GenericApplicationContext> beans) {
    // Not to be closed with the application.
    DataSource shared = new DelegatingDataSource(dataSource);
    this.context =
        new SpringApplicationBuilder(application)
            .web(WebApplicationType.NONE)
            .bannerMode(Banner.Mode.OFF)
            .registerShutdownHook(false)
            .properties(properties)
            .initializers(
                starting -> {
                  GenericApplicationContext registry = (GenericApplicationContext) starting;
                  registry.registerBean("dataSource", DataSource.class, () -> shared);
                  beans.accept(registry);
                })
            .run();
    this.transactions = new TransactionTemplate(bean(PlatformTransactionManager.class));
    // On MariaDB namastack-outbox's own writers run into deadlocks with each other otherwise.
    transactions.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
  }

  <T> T bean(Class<T> type) {
    return context.getBean(type);
  }

  ApplicationEventPublisher publisher() {
    return context;
  }

  void inTransaction(Runnable work) {
    transactions.executeWithoutResult(status -> work.run());
  }

  @Override
  public void close() {
    context.close();
  }
}
