package io.outbox.spring.boot;

import io.outbox.Outbox;

/**
 * A bean that changes the outbox before it is built, after the properties were applied: for what
 * has no property, such as {@link Outbox.AbstractBuilder#onDead}.
 */
@FunctionalInterface
public interface OutboxBuilderCustomizer {

  /** The builder is that of the mode, for example a {@link Outbox.SingleNodeBuilder}. */
  void customize(Outbox.AbstractBuilder<?> builder);
}
