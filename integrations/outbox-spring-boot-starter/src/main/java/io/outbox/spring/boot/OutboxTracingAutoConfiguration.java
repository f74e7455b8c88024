package io.outbox.spring.boot;

import io.opentelemetry.api.OpenTelemetry;
import io.outbox.spring.boot.publish.PublisherDecorator;
import io.outbox.tracing.OutboxTracing;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Traces through the application's {@link OpenTelemetry}, also when Micrometer Tracing is bridged
 * to it, if outbox-tracing is on the class path.
 */
@AutoConfiguration(
    before = OutboxAutoConfiguration.class,
    afterName = {
      // Spring Boot 3
      "org.springframework.boot.actuate.autoconfigure.opentelemetry.OpenTelemetryAutoConfiguration",
      // Spring Boot 4
      "org.springframework.boot.opentelemetry.autoconfigure.OpenTelemetrySdkAutoConfiguration"
    })
@ConditionalOnClass({OpenTelemetry.class, OutboxTracing.class})
@ConditionalOnBean(OpenTelemetry.class)
@ConditionalOnProperty(
    name = {"outbox.enabled", "outbox.tracing.enabled"},
    matchIfMissing = true)
public class OutboxTracingAutoConfiguration {

  OutboxTracingAutoConfiguration() {}

  /** The first interceptor: the span is there when the others are called. */
  @Bean
  @Order(Ordered.HIGHEST_PRECEDENCE)
  @ConditionalOnMissingBean
  OutboxTracing outboxTracing(OpenTelemetry openTelemetry) {
    return OutboxTracing.of(openTelemetry);
  }

  @Bean
  PublisherDecorator outboxTracedPublishers(OutboxTracing tracing) {
    return tracing::publishing;
  }
}
