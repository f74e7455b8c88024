package io.outbox.quarkus.runtime;

import io.quarkus.runtime.annotations.ConfigPhase;
import io.quarkus.runtime.annotations.ConfigRoot;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import io.smallrye.config.WithName;
import java.util.Optional;

/** The settings {@code quarkus.outbox.*} that are fixed when the application is built. */
@ConfigMapping(prefix = "quarkus.outbox")
@ConfigRoot(phase = ConfigPhase.BUILD_AND_RUN_TIME_FIXED)
public interface OutboxBuildConfig {

  /** Whether there is an outbox at all. */
  @WithDefault("true")
  boolean enabled();

  /**
   * The name of the datasource whose transactions the events are written in. By default the default
   * datasource.
   */
  Optional<String> datasource();

  /** Whether there is a readiness check, if quarkus-smallrye-health is there. */
  @WithName("health.enabled")
  @WithDefault("true")
  boolean healthEnabled();

  /** Whether metrics are reported, if quarkus-micrometer and outbox-micrometer are there. */
  @WithName("metrics.enabled")
  @WithDefault("true")
  boolean metricsEnabled();

  /** Whether events carry trace context, if quarkus-opentelemetry and outbox-tracing are there. */
  @WithName("tracing.enabled")
  @WithDefault("true")
  boolean tracingEnabled();
}
