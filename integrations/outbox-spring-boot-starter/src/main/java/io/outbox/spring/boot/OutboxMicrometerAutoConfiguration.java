package io.outbox.spring.boot;

import io.micrometer.core.instrument.MeterRegistry;
import io.outbox.micrometer.MicrometerMetricsExporter;
import io.outbox.spi.MetricsExporter;
import io.outbox.wiring.Property;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/**
 * Metrics in the application's {@link MeterRegistry}, if outbox-micrometer is on the class path.
 */
@AutoConfiguration(
    before = OutboxAutoConfiguration.class,
    afterName = {
      "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration",
      "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"
    })
@ConditionalOnClass({MeterRegistry.class, MicrometerMetricsExporter.class})
@ConditionalOnBean(MeterRegistry.class)
@ConditionalOnProperty(
    name = {"outbox.enabled", "outbox.metrics.enabled"},
    matchIfMissing = true)
@EnableConfigurationProperties(OutboxProperties.class)
public class OutboxMicrometerAutoConfiguration {

  OutboxMicrometerAutoConfiguration() {}

  @Bean
  @ConditionalOnMissingBean(MetricsExporter.class)
  MicrometerMetricsExporter outboxMetricsExporter(
      MeterRegistry registry, OutboxProperties properties) {
    try {
      return new MicrometerMetricsExporter(registry, properties.metrics().namePrefix());
    } catch (IllegalArgumentException e) {
      throw Property.invalid("outbox.metrics.name-prefix", e);
    }
  }
}
