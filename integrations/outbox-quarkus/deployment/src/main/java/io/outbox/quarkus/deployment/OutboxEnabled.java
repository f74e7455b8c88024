package io.outbox.quarkus.deployment;

import io.outbox.quarkus.runtime.OutboxBuildConfig;
import java.util.function.BooleanSupplier;

/** Whether there is an outbox at all. */
final class OutboxEnabled implements BooleanSupplier {

  private final OutboxBuildConfig config;

  OutboxEnabled(OutboxBuildConfig config) {
    this.config = config;
  }

  @Override
  public boolean getAsBoolean() {
    return config.enabled();
  }
}
