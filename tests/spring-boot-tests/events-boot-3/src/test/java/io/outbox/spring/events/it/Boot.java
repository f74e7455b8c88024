package io.outbox.spring.events.it;

import java.util.concurrent.CompletableFuture;
import org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration;
import org.springframework.boot.autoconfigure.jdbc.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.autoconfigure.jdbc.JdbcTemplateAutoConfiguration;
import org.springframework.boot.autoconfigure.transaction.TransactionAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import org.springframework.modulith.events.support.DelegatingEventExternalizer;

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

  /** As spring-modulith-events-kafka 1.4 has it. */
  @Configuration(proxyBeanMethods = false)
  static class Sender {
    @Bean
    DelegatingEventExternalizer kafkaEventExternalizer(EventExternalizationConfiguration of) {
      return new DelegatingEventExternalizer(
          of, (target, payload) -> CompletableFuture.completedFuture(null));
    }
  }
}
