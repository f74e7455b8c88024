package io.outbox.spring.boot.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spring.SpringTxContext;
import io.outbox.spring.boot.OutboxDataSource;
import io.outbox.testing.RecordingListener;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Which of several DataSources the outbox takes. */
class DataSourcesTest {

  private final ApplicationContextRunner runner = Outboxes.runner();

  private static DataSource inMemory() {
    return new DriverManagerDataSource(Outboxes.inMemory());
  }

  /** Each DataSource has a transaction manager of its own, which Spring Boot does not make. */
  @Configuration(proxyBeanMethods = false)
  static class Managers {
    @Bean
    PlatformTransactionManager ordersManager(@Qualifier("orders") DataSource orders) {
      return new DataSourceTransactionManager(orders);
    }

    @Bean
    PlatformTransactionManager customersManager(@Qualifier("customers") DataSource customers) {
      return new DataSourceTransactionManager(customers);
    }

    @Bean
    RecordingListener listener(DefaultListenerRegistry registry) {
      RecordingListener listener = new RecordingListener();
      registry.registerDefault(listener);
      return listener;
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Equal extends Managers {
    @Bean
    DataSource orders() {
      return inMemory();
    }

    @Bean
    DataSource customers() {
      return inMemory();
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class OnePrimary extends Managers {
    @Bean
    DataSource orders() {
      return inMemory();
    }

    @Bean
    @Primary
    DataSource customers() {
      return inMemory();
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class OneMarked extends Managers {
    @Bean(defaultCandidate = false)
    @OutboxDataSource
    @Qualifier("orders")
    DataSource orders() {
      return inMemory();
    }

    @Bean
    @Primary
    DataSource customers() {
      return inMemory();
    }
  }

  private static TransactionTemplate transactions(ApplicationContext context, String of) {
    return new TransactionTemplate(
        context.getBean(of + "Manager", PlatformTransactionManager.class));
  }

  /** The outbox writes in transactions of the one, and in no others. */
  private static void assertTakes(ApplicationContext context, String taken, String other) {
    OutboxWriter writer = context.getBean(OutboxWriter.class);
    transactions(context, taken).executeWithoutResult(tx -> writer.write("OrderPlaced", "{}"));
    context.getBean(RecordingListener.class).awaitCount(1, Outboxes.SOON);
    assertThat(
            new JdbcTemplate(context.getBean(taken, DataSource.class))
                .queryForObject("SELECT count(*) FROM outbox_event", Integer.class))
        .isOne();
    assertThatIllegalStateException()
        .isThrownBy(
            () ->
                transactions(context, other)
                    .executeWithoutResult(tx -> writer.write("OrderPlaced", "{}")))
        .withMessageContaining("not one of the DataSource of this outbox");
  }

  @Test
  void thePrimaryOneIsTaken() {
    runner
        .withUserConfiguration(OnePrimary.class)
        .run(context -> assertTakes(context, "customers", "orders"));
  }

  @Test
  void theNamedOneIsTaken() {
    runner
        .withUserConfiguration(Equal.class)
        .withPropertyValues("outbox.datasource=orders")
        .run(context -> assertTakes(context, "orders", "customers"));
    runner
        .withUserConfiguration(OnePrimary.class)
        .withPropertyValues("outbox.datasource=orders")
        .run(context -> assertTakes(context, "orders", "customers"));
  }

  @Test
  void theMarkedOneIsTakenBeforeThePrimaryOne() {
    runner
        .withUserConfiguration(OneMarked.class)
        .run(context -> assertTakes(context, "orders", "customers"));
  }

  @Test
  void R2_transactionManagersOfTheApplicationTellOfTheirTransactionsToo() {
    runner
        .withUserConfiguration(OnePrimary.class)
        .run(
            context -> {
              OutboxWriter writer = context.getBean(OutboxWriter.class);
              // could not be told from the opposite without being told
              transactions(context, "orders")
                  .executeWithoutResult(
                      outer ->
                          transactions(context, "customers")
                              .executeWithoutResult(inner -> writer.write("OrderPlaced", "{}")));
              context.getBean(RecordingListener.class).awaitCount(1, Outboxes.SOON);
              assertThatIllegalStateException()
                  .isThrownBy(
                      () ->
                          transactions(context, "customers")
                              .executeWithoutResult(
                                  outer ->
                                      transactions(context, "orders")
                                          .executeWithoutResult(
                                              inner -> writer.write("OrderPlaced", "{}"))))
                  .withMessageContaining("belongs to another transaction manager");
            });
  }

  /** Wired by hand, without any help of the auto-configuration. */
  @Configuration(proxyBeanMethods = false)
  static class OneOutboxEach {
    @Bean
    DataSource orders() {
      return inMemory();
    }

    @Bean
    DataSource customers() {
      return inMemory();
    }

    @Bean
    RecordingListener listener() {
      return new RecordingListener();
    }

    @Bean
    Outbox ordersOutbox(@Qualifier("orders") DataSource orders, RecordingListener listener) {
      return outbox(orders, listener);
    }

    @Bean
    Outbox customersOutbox(
        @Qualifier("customers") DataSource customers, RecordingListener listener) {
      return outbox(customers, listener);
    }

    private static Outbox outbox(DataSource dataSource, RecordingListener listener) {
      OutboxSchema.create(dataSource);
      return Outbox.singleNode()
          .connectionProvider(new DataSourceConnectionProvider(dataSource))
          .txContext(new SpringTxContext(dataSource))
          .outboxStore(JdbcOutboxStores.detect(dataSource))
          .listenerRegistry(new DefaultListenerRegistry().registerDefault(listener))
          .autoStart(false)
          .build();
    }
  }

  @Test
  void anOutboxForEachIsWiredByHandAndStartedWithTheApplication() {
    runner
        .withUserConfiguration(OneOutboxEach.class)
        .run(
            context -> {
              assertThat(context).hasNotFailed().doesNotHaveBean(OutboxWriter.class);
              Map<String, Outbox> outboxes = context.getBeansOfType(Outbox.class);
              assertThat(outboxes).hasSize(2);
              assertThat(outboxes.values()).allMatch(Outbox::isRunning);
              for (String name : List.of("orders", "customers")) {
                DataSource dataSource = context.getBean(name, DataSource.class);
                new TransactionTemplate(new DataSourceTransactionManager(dataSource))
                    .executeWithoutResult(
                        tx -> outboxes.get(name + "Outbox").writer().write("Changed", "{}"));
              }
              context.getBean(RecordingListener.class).awaitCount(2, Outboxes.SOON);
            });
  }

  @Configuration(proxyBeanMethods = false)
  static class Proxied {
    @Bean
    DataSource dataSource() {
      return new TransactionAwareDataSourceProxy(new LazyConnectionDataSourceProxy(inMemory()));
    }

    @Bean
    RecordingListener listener(DefaultListenerRegistry registry) {
      RecordingListener listener = new RecordingListener();
      registry.registerDefault(listener);
      return listener;
    }
  }

  @Test
  void aProxyServesAsADataSource() {
    runner
        .withUserConfiguration(Proxied.class)
        .run(
            context -> {
              Outboxes.write(context, "OrderPlaced", "{}");
              context.getBean(RecordingListener.class).awaitCount(1, Outboxes.SOON);
            });
  }
}
