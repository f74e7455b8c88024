package io.outbox.quarkus;

import io.outbox.Outbox;

/**
 * A CDI bean that changes the builder of the outbox, for settings without a property. Called after
 * the properties are applied, in the order of {@code @Priority}, highest first.
 */
@FunctionalInterface
public interface OutboxBuilderCustomizer {

  /** Changes the builder; its type depends on {@code quarkus.outbox.mode}. */
  void customize(Outbox.AbstractBuilder<?> builder);
}
