package io.outbox.annotation;

import io.outbox.AggregateType;
import io.outbox.EventType;
import io.outbox.annotation.support.FoundByMicronaut;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Makes a bean, or a method of a bean, the listener of one kind of event.
 *
 * <p>On a class it needs an {@link io.outbox.EventListener} or {@link
 * io.outbox.AsyncEventListener}. A method takes the {@link io.outbox.EventEnvelope}, or the
 * payload, or both. The payload is read from JSON into the class of the parameter; a {@code String}
 * gets the JSON as it was written and a {@code byte[]} a payload of bytes. The method returns
 * nothing or a {@link io.outbox.DispatchResult}, or a {@link java.util.concurrent.CompletionStage}
 * of either to answer later.
 *
 * <p>Types are named by strings or by classes. A class is instantiated for its {@code name()}; of
 * an enum the constant is named by the string beside it, which is checked at the start. The
 * aggregate type is part of the address: without one, only events without one are delivered.
 *
 * <p>The annotation works where a framework looks for it: Micronaut with {@code outbox-micronaut},
 * for example. Spring has its own in {@code outbox-spring-boot-starter}.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@FoundByMicronaut
public @interface OutboxListener {

  /** Short for {@link #eventType()}. */
  String value() default "";

  /** The event type. */
  String eventType() default "";

  /** The aggregate type. */
  String aggregateType() default "";

  /** A class for the event type. */
  Class<? extends EventType> eventTypeClass() default EventType.class;

  /** A class for the aggregate type. */
  Class<? extends AggregateType> aggregateTypeClass() default AggregateType.class;

  /**
   * The name of a subscription, if the event has several independent listeners: each gets a copy.
   * See {@link io.outbox.registry.DefaultListenerRegistry#subscribe}.
   */
  String subscription() default "";
}
