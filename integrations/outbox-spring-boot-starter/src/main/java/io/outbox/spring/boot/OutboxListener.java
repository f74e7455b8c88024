package io.outbox.spring.boot;

import io.outbox.AggregateType;
import io.outbox.EventType;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.aot.hint.annotation.Reflective;
import org.springframework.core.annotation.AliasFor;

/**
 * Makes a bean, or a method of a bean, the listener of one kind of event.
 *
 * <p>On a class it needs an {@link io.outbox.EventListener}. A method takes the {@link
 * io.outbox.EventEnvelope}, or the payload, or both. The payload is read from JSON into the class
 * of the parameter; a {@code String} gets the JSON as it was written and a {@code byte[]} a payload
 * of bytes. It returns nothing, or a {@link io.outbox.DispatchResult}.
 *
 * <p>Types are named by strings or by classes. A class is instantiated for its {@code name()}; of
 * an enum the constant is named by the string beside it, which is checked at the start. The
 * aggregate type is part of the address: without one, only events without one are delivered.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Reflective
public @interface OutboxListener {

  /** Short for {@link #eventType()}. */
  @AliasFor("eventType")
  String value() default "";

  /** The event type. */
  @AliasFor("value")
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

  /**
   * The name of a {@link io.outbox.policy.ListenerPolicy} bean, for retries, limits and fallback of
   * this listener. The attributes below, and the properties {@code outbox.listeners.*}, count
   * before it.
   */
  String policy() default "";

  /** How often the listener is called for one event at most; 0: as the settings say. */
  int maxAttempts() default 0;

  /** How old an event may become before it gets its last attempt, for example {@code 12h}. */
  String maxAge() default "";

  /** How long one call may take, for example {@code 10s}; not in modes that keep an order. */
  String timeout() default "";

  /** How many calls run at the same time at most, on one node; 0: as many as there are workers. */
  int concurrency() default 0;

  /** How many calls start in a period at most, on one node, for example {@code 100/1m}. */
  String rateLimit() default "";

  /** Exceptions that make the event DEAD at once. */
  Class<? extends Throwable>[] retryNever() default {};

  /** Exceptions that are retried however often they happen, until {@code maxAge}. */
  Class<? extends Throwable>[] retryAlways() default {};
}
