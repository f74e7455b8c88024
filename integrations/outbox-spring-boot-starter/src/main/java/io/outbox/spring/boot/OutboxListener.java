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
}
