package io.outbox.quarkus.runtime;

import io.outbox.AggregateType;
import io.outbox.EventType;
import io.outbox.annotation.OutboxListener;
import java.lang.annotation.Annotation;

/** The annotation of a listener, as it was read when the application was built. */
public record DeclaredAddress(
    String eventType,
    String aggregateType,
    Class<? extends EventType> eventTypeClass,
    Class<? extends AggregateType> aggregateTypeClass)
    implements OutboxListener {

  @Override
  public String value() {
    return "";
  }

  @Override
  public Class<? extends Annotation> annotationType() {
    return OutboxListener.class;
  }
}
