package io.outbox.spring.boot.actuate;

import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.OutboxStore;
import io.outbox.spring.boot.OutboxAutoConfiguration;
import io.outbox.spring.boot.OutboxProperties;
import org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.actuate.health.AbstractHealthIndicator;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/** The health of the outbox, for the Actuator of Spring Boot 3. */
@AutoConfiguration(after = OutboxAutoConfiguration.class)
@ConditionalOnClass(
    name = {
      "org.springframework.boot.actuate.health.HealthIndicator",
      "org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator"
    })
@ConditionalOnBean(ConnectionProvider.class)
@ConditionalOnSingleCandidate(OutboxStore.class)
@ConditionalOnEnabledHealthIndicator("outbox")
class OutboxBoot3HealthAutoConfiguration {

  @Bean
  @ConditionalOnMissingBean(name = "outboxHealthIndicator")
  HealthIndicator outboxHealthIndicator(
      ConnectionProvider connectionProvider, OutboxStore store, OutboxProperties properties) {
    HealthCheck check = new HealthCheck(connectionProvider, store, properties);
    return new AbstractHealthIndicator("the outbox table cannot be read") {
      @Override
      protected void doHealthCheck(Health.Builder builder) throws Exception {
        HealthCheck.Result result = check.run();
        (result.up() ? builder.up() : builder.down()).withDetails(result.details());
      }
    };
  }
}
