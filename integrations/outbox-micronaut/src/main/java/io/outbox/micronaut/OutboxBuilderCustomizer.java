package io.outbox.micronaut;

import io.outbox.Outbox;

/**
 * A bean that changes the outbox after the properties are applied and before it is built. Use it
 * for settings without a property, such as {@link Outbox.DispatchingBuilder#onDead}.
 */
@FunctionalInterface
public interface OutboxBuilderCustomizer {

  /**
   * Receives the builder of the configured mode, for example a {@link Outbox.SingleNodeBuilder}.
   */
  void customize(Outbox.AbstractBuilder<?> builder);
}
