package io.outbox.benchmarks.contestant;

import java.sql.Connection;
import java.util.Map;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A Spring Boot application around a library that needs one. */
final class SpringApplicationOf implements AutoCloseable {

  private final DataSource dataSource;
  private final ConfigurableApplicationContext context;
  private final TransactionTemplate transactions;

  SpringApplicationOf(
      Class<?> application,
      DataSource dataSource,
      Map<String, Object> properties,
      Consumer<GenericApplicationContext> beans) {
    // Not to be closed with the application.
    this.dataSource = new DelegatingDataSource(dataSource);
    this.context =
        new SpringApplicationBuilder(application)
            .web(WebApplicationType.NONE)
            .bannerMode(Banner.Mode.OFF)
            .registerShutdownHook(false)
            .properties(properties)
            .initializers(
                context -> {
                  GenericApplicationContext registry = (GenericApplicationContext) context;
                  registry.registerBean("dataSource", DataSource.class, () -> this.dataSource);
                  beans.accept(registry);
                })
            .run();
    this.transactions = new TransactionTemplate(bean(PlatformTransactionManager.class));
  }

  <T> T bean(Class<T> type) {
    return context.getBean(type);
  }

  ApplicationEventPublisher publisher() {
    return context;
  }

  Connection connection() {
    return DataSourceUtils.getConnection(dataSource);
  }

  void transact(Tx.Work work, Tx tx) {
    transactions.executeWithoutResult(
        status -> {
          try {
            work.run(tx);
          } catch (Exception e) {
            throw new IllegalStateException(e);
          }
        });
  }

  @Override
  public void close() {
    context.close();
  }
}
