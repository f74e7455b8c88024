package io.outbox.quarkus.runtime;

import io.micrometer.core.instrument.MeterRegistry;
import io.outbox.micrometer.MicrometerMetricsExporter;
import io.outbox.spi.MetricsExporter;
import io.outbox.wiring.Property;
import io.quarkus.arc.DefaultBean;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;

/** Metrics through Micrometer; a bean only if it is there. */
@Singleton
public class OutboxMetrics {

  @Produces
  @Singleton
  @DefaultBean
  MetricsExporter metrics(MeterRegistry registry, OutboxConfig config) {
    try {
      return new MicrometerMetricsExporter(registry, config.metrics().namePrefix());
    } catch (IllegalArgumentException e) {
      throw Refusals.translated(Property.invalid("quarkus.outbox.metrics.name-prefix", e));
    }
  }
}
