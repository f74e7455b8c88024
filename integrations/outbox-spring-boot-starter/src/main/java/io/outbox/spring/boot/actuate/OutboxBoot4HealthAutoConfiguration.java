package io.outbox.spring.boot.actuate;

import io.outbox.Outbox;
import io.outbox.spring.boot.OutboxAutoConfiguration;
import io.outbox.spring.boot.OutboxProperties;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** The health of the outbox, for the Actuator of Spring Boot 4. */
@AutoConfiguration(after = OutboxAutoConfiguration.class)
@ConditionalOnClass(
    name = {
      "org.springframework.boot.health.contributor.HealthIndicator",
      "org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator"
    })
@ConditionalOnSingleCandidate(Outbox.class)
@ConditionalOnEnabledHealthIndicator("outbox")
class OutboxBoot4HealthAutoConfiguration {

  @Bean
  @ConditionalOnMissingBean(name = "outboxHealthIndicator")
  HealthIndicator outboxHealthIndicator(
      ConfigurableListableBeanFactory beans,
      ObjectProvider<Outbox> outbox,
      OutboxProperties properties) {
    HealthCheck check =
        new HealthCheck(
            new TableInspector(beans), () -> outbox.getObject().conditions(), properties);
    return new AbstractHealthIndicator("the outbox table cannot be read") {
      @Override
      protected void doHealthCheck(Health.Builder builder) throws Exception {
        HealthCheck.Result result = check.run();
        (result.up() ? builder.up() : builder.down()).withDetails(result.details());
      }
    };
  }
}
