package io.outbox.spring.events.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.spring.events.OutboxEventRecorder;
import io.outbox.spring.events.it.shop.OrderPlaced;
import io.outbox.spring.events.it.shop.OrderShipped;
import io.outbox.spring.events.it.shop.ShopApplication;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.util.ClassUtils;

/** When events are written, and when the application does not start. */
class AutoConfigurationTest {

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withPropertyValues("spring.datasource.url=" + Shop.inMemory())
          .withConfiguration(AutoConfigurations.of(Boot.JDBC))
          .withConfiguration(AutoConfigurations.of(named("io.outbox.spring.boot.OutboxAuto")))
          .withConfiguration(AutoConfigurations.of(named("io.outbox.spring.events.")));

  private static Class<?>[] named(String prefix) {
    return ImportCandidates.load(
            AutoConfiguration.class, AutoConfigurationTest.class.getClassLoader())
        .getCandidates()
        .stream()
        .filter(name -> name.startsWith(prefix))
        .map(name -> ClassUtils.resolveClassName(name, null))
        .toArray(Class<?>[]::new);
  }

  @Test
  void itWorksWithoutModulith() {
    runner
        .withClassLoader(new FilteredClassLoader(EventExternalizationConfiguration.class))
        .run(
            context -> {
              assertThat(context).hasNotFailed().doesNotHaveBean("outboxModulithEvents");
              context
                  .getBean(TransactionTemplate.class)
                  .executeWithoutResult(
                      status -> context.publishEvent(new OrderPlaced("A-17", 1999)));
              assertThat(
                      context
                          .getBean(JdbcTemplate.class)
                          .queryForObject("SELECT count(*) FROM outbox_event", Integer.class))
                  .isOne();
            });
  }

  @Test
  void modulithsAnnotationNeedsNoMoreThanItsApi() {
    runner
        .withInitializer(AutoConfigurationTest::registerPackage)
        .run(
            context -> {
              context
                  .getBean(TransactionTemplate.class)
                  .executeWithoutResult(
                      status -> context.publishEvent(new OrderShipped("A-17", "by bike")));
              assertThat(
                      context
                          .getBean(JdbcTemplate.class)
                          .queryForObject("SELECT aggregate_id FROM outbox_event", String.class))
                  .isEqualTo("A-17");
            });
  }

  private static void registerPackage(ConfigurableApplicationContext context) {
    AutoConfigurationPackages.register(
        (BeanDefinitionRegistry) context.getBeanFactory(), ShopApplication.class.getPackageName());
  }

  @Test
  void withoutAnOutboxThereIsNoRecorder() {
    runner
        .withPropertyValues("outbox.enabled=false")
        .run(
            context -> {
              assertThat(context).hasNotFailed().doesNotHaveBean(OutboxEventRecorder.class);
              context.publishEvent(new OrderPlaced("A-17", 1999));
            });
  }

  @Configuration(proxyBeanMethods = false)
  static class TwoWriters {
    @Bean
    OutboxWriter first(Outbox outbox) {
      return outbox.writer();
    }

    @Bean
    OutboxWriter second(Outbox outbox) {
      return outbox.writer();
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class OwnRecorder {
    @Bean
    OutboxEventRecorder recorder(@Qualifier("second") OutboxWriter writer) {
      return new OutboxEventRecorder(writer, List.of());
    }
  }

  @Test
  void withTwoWritersTheApplicationSaysWhichOneItWants() {
    runner
        .withUserConfiguration(TwoWriters.class)
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .hasMessageContaining("several OutboxWriter beans")
                    .hasMessageContaining("OutboxEventRecorder"));
    runner
        .withUserConfiguration(TwoWriters.class, OwnRecorder.class)
        .run(
            context -> assertThat(context).hasNotFailed().hasSingleBean(OutboxEventRecorder.class));
  }

  @Test
  void anApplicationThatWouldSendEveryEventTwiceDoesNotStart() {
    runner
        .withConfiguration(
            AutoConfigurations.of(
                named("org.springframework.modulith.events.config.EventExternalization")))
        .withInitializer(AutoConfigurationTest::registerPackage)
        .withUserConfiguration(Boot.SENDER)
        .run(
            context ->
                assertThat(context)
                    .hasFailed()
                    .getFailure()
                    .rootCause()
                    .hasMessageContaining("kafkaEventExternalizer")
                    .hasMessageContaining("spring-modulith-events-kafka"));
  }
}
