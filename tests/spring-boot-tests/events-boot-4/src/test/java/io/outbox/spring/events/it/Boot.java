package io.outbox.spring.events.it;

import java.util.concurrent.CompletableFuture;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import org.springframework.modulith.events.support.EventExternalizerModuleListener;

/** What has another name, or another place, in each version. */
final class Boot {

  static final Class<?>[] JDBC = {
    DataSourceAutoConfiguration.class,
    DataSourceTransactionManagerAutoConfiguration.class,
    TransactionAutoConfiguration.class,
    JdbcTemplateAutoConfiguration.class
  };

  static final Class<?> SENDER = Sender.class;

  private Boot() {}

  /** As spring-modulith-events-kafka 2.1 has it. */
  @Configuration(proxyBeanMethods = false)
  static class Sender {
    @Bean
    EventExternalizerModuleListener kafkaEventExternalizer(EventExternalizationConfiguration of) {
      return new EventExternalizerModuleListener(
          of, (payload, target) -> CompletableFuture.completedFuture(null));
    }
  }
}
