package io.outbox.spring.events;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;

/**
 * Application events of this class, or of a subclass, are written to the outbox when they are
 * published.
 *
 * <p>All values may contain SpEL expressions such as <code>#{orderId}</code>, which read properties
 * of the event and call its methods.
 */
@Target({ElementType.TYPE, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface Outboxed {

  /** Short for {@link #target()}. */
  @AliasFor("target")
  String value() default "";

  /**
   * The aggregate type, and behind {@code ::} the aggregate id, as in <code>orders::#{orderId}
   * </code>. Both may be left out.
   */
  @AliasFor("value")
  String target() default "";

  /** The event type; by default the simple name of the event's class. */
  String type() default "";

  /**
   * Headers as {@code name=value}; one whose value is an expression that yields null is left out.
   */
  String[] headers() default {};
}
