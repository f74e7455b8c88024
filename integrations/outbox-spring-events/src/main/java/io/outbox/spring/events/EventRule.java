package io.outbox.spring.events;

import io.outbox.EventEnvelope;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Writes application events of one class to the outbox, without an annotation. Declare it as a
 * bean. Immutable.
 *
 * @param <T> the class of the application events
 */
public final class EventRule<T> implements EventMapping {

  private final Class<T> type;
  private final Predicate<? super T> condition;
  private final Function<? super T, String> eventType;
  private final Function<? super T, ?> payload;
  private final Map<String, Function<? super T, ?>> headers;
  private final BiConsumer<? super T, EventEnvelope.Builder> rest;

  private EventRule(Builder<T> from) {
    this.type = from.type;
    this.condition = from.condition;
    this.eventType = from.eventType;
    this.payload = from.payload;
    this.headers = new LinkedHashMap<>(from.headers);
    this.rest = from.rest;
  }

  /** A rule for events of this class and its subclasses. */
  public static <T> Builder<T> of(Class<T> type) {
    return new Builder<>(Objects.requireNonNull(type, "type"));
  }

  @Override
  public Optional<EventEnvelope> toOutbox(Object event) {
    if (!type.isInstance(event)) {
      return Optional.empty();
    }
    T known = type.cast(event);
    return condition.test(known) ? Optional.of(envelope(known)) : Optional.empty();
  }

  private EventEnvelope envelope(T event) {
    EventEnvelope.Builder envelope = EventEnvelope.builder(eventType.apply(event));
    Envelopes.payload(envelope, payload.apply(event));
    headers.forEach((name, value) -> Envelopes.header(envelope, name, value.apply(event)));
    rest.accept(event, envelope);
    return envelope.build();
  }

  @Override
  public String toString() {
    return "EventRule[" + type.getName() + "]";
  }

  /** Builds a rule. Functions must be safe for use by many threads. */
  public static final class Builder<T> {

    private final Class<T> type;
    private Predicate<? super T> condition = event -> true;
    private Function<? super T, String> eventType = Envelopes::typeOf;
    private Function<? super T, ?> payload = Function.identity();
    private final Map<String, Function<? super T, ?>> headers = new LinkedHashMap<>();
    private BiConsumer<T, EventEnvelope.Builder> rest = (event, envelope) -> {};

    private Builder(Class<T> type) {
      this.type = type;
    }

    /** Only events that meet {@code condition}; default: all. */
    public Builder<T> when(Predicate<? super T> condition) {
      this.condition = Objects.requireNonNull(condition, "condition");
      return this;
    }

    /** Default: the simple name of the event's class. */
    public Builder<T> eventType(String eventType) {
      Objects.requireNonNull(eventType, "eventType");
      return eventType(event -> eventType);
    }

    /** Default: the simple name of the event's class. */
    public Builder<T> eventType(Function<? super T, String> eventType) {
      this.eventType = Objects.requireNonNull(eventType, "eventType");
      return this;
    }

    /** Default: none. */
    public Builder<T> aggregateType(String aggregateType) {
      Objects.requireNonNull(aggregateType, "aggregateType");
      return envelope((event, envelope) -> envelope.aggregateType(aggregateType));
    }

    /** The aggregate id, which orders events and chooses a broker's partition; may yield null. */
    public Builder<T> key(Function<? super T, ?> key) {
      Objects.requireNonNull(key, "key");
      return envelope((event, envelope) -> envelope.aggregateId(Envelopes.text(key.apply(event))));
    }

    /** Adds a header; it is left out of events for which {@code value} yields null. */
    public Builder<T> header(String name, Function<? super T, ?> value) {
      headers.put(Objects.requireNonNull(name, "name"), Objects.requireNonNull(value, "value"));
      return this;
    }

    /** What is written as JSON, or a {@code byte[]}; default: the event itself. */
    public Builder<T> payload(Function<? super T, ?> payload) {
      this.payload = Objects.requireNonNull(payload, "payload");
      return this;
    }

    /** Sets anything else, for example a tenant or a delay. May be called several times. */
    public Builder<T> envelope(BiConsumer<? super T, ? super EventEnvelope.Builder> more) {
      Objects.requireNonNull(more, "more");
      this.rest = rest.andThen(more);
      return this;
    }

    /** Builds the rule. */
    public EventRule<T> build() {
      return new EventRule<>(this);
    }
  }
}
