package io.outbox.micronaut;

import io.micrometer.core.instrument.MeterRegistry;
import io.micronaut.context.annotation.Factory;
import io.micronaut.context.annotation.Requires;
import io.micronaut.context.annotation.Secondary;
import io.micronaut.core.util.StringUtils;
import io.outbox.micrometer.MicrometerMetricsExporter;
import io.outbox.spi.MetricsExporter;
import io.outbox.wiring.Property;
import jakarta.inject.Singleton;

/** Metrics in the application's {@link MeterRegistry}, if outbox-micrometer is there. */
@Factory
@Requires(classes = {MeterRegistry.class, MicrometerMetricsExporter.class})
@Requires(beans = MeterRegistry.class)
@Requires(property = OutboxConfiguration.PREFIX + ".metrics.enabled", notEquals = StringUtils.FALSE)
final class OutboxMetrics {

  @Singleton
  @Secondary
  MetricsExporter outboxMetricsExporter(MeterRegistry registry, OutboxConfiguration configuration) {
    try {
      return new MicrometerMetricsExporter(registry, configuration.metrics().namePrefix());
    } catch (IllegalArgumentException e) {
      throw Property.invalid("outbox.metrics.name-prefix", e);
    }
  }
}
