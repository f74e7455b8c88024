package io.outbox.spring.events;

import io.outbox.EventEnvelope;
import io.outbox.OutboxWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ApplicationEventPublisherAware;
import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.core.Ordered;

/**
 * Writes application events to the outbox at once, in the transaction of the thread that publishes
 * them. The first mapping that knows an event decides; behind them come events that are {@link
 * Outboxed}. Other events are left alone.
 *
 * <p>An event for the outbox that is published without a transaction is refused with an {@link
 * IllegalStateException}, which the publisher gets. Thread-safe.
 */
public final class OutboxEventRecorder
    implements ApplicationListener<ApplicationEvent>,
        Ordered,
        ApplicationEventPublisherAware,
        SmartInitializingSingleton {

  private final Supplier<? extends OutboxWriter> writer;
  private final List<EventMapping> mappings;
  private ApplicationEventPublisher publisher;

  /** Declare it as a bean of the application context whose events it writes. */
  public OutboxEventRecorder(OutboxWriter writer, List<? extends EventMapping> mappings) {
    this(mappings, writerOf(writer));
  }

  private static Supplier<OutboxWriter> writerOf(OutboxWriter writer) {
    Objects.requireNonNull(writer, "writer");
    return () -> writer;
  }

  /** {@code writer} is asked for when there is an event for the outbox. */
  OutboxEventRecorder(
      List<? extends EventMapping> mappings, Supplier<? extends OutboxWriter> writer) {
    this.writer = writer;
    List<EventMapping> all = new ArrayList<>(Objects.requireNonNull(mappings, "mappings"));
    all.add(new AnnotatedEvents());
    this.mappings = List.copyOf(all);
  }

  /** The application context that this is a bean of. */
  @Override
  public void setApplicationEventPublisher(ApplicationEventPublisher publisher) {
    this.publisher = Objects.requireNonNull(publisher, "publisher");
  }

  /**
   * Checks that the context's publishers notice a refusal.
   *
   * @throws IllegalStateException if an error handler would swallow it
   */
  @Override
  public void afterSingletonsInstantiated() {
    if (publisher != null) {
      StartProbe.publish(this, publisher);
    }
  }

  @Override
  public void onApplicationEvent(ApplicationEvent event) {
    if (event instanceof StartProbe probe) {
      probe.refuse();
    }
    Object published =
        event instanceof PayloadApplicationEvent<?> withPayload ? withPayload.getPayload() : event;
    toOutbox(published).ifPresent(envelope -> write(published, envelope));
  }

  /** Before other listeners, whose own events follow from this one. */
  @Override
  public int getOrder() {
    return HIGHEST_PRECEDENCE;
  }

  /** The transaction is one of the publishing thread. */
  @Override
  public boolean supportsAsyncExecution() {
    return false;
  }

  private Optional<EventEnvelope> toOutbox(Object published) {
    try {
      for (EventMapping mapping : mappings) {
        Optional<EventEnvelope> envelope = mapping.toOutbox(published);
        if (envelope.isPresent()) {
          return envelope;
        }
      }
      return Optional.empty();
    } catch (RuntimeException e) {
      throw refused(published, e);
    }
  }

  private void write(Object published, EventEnvelope envelope) {
    OutboxWriter to = writer.get();
    try {
      to.write(envelope);
    } catch (IllegalStateException e) {
      throw refused(published, e);
    }
  }

  private static IllegalStateException refused(Object published, RuntimeException because) {
    return new IllegalStateException(
        "the application event "
            + published.getClass().getName()
            + " cannot be written to the outbox: "
            + because.getMessage(),
        because);
  }
}
