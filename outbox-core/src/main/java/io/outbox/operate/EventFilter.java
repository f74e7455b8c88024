package io.outbox.operate;

import io.outbox.internal.TextChecks;
import io.outbox.internal.time.StorableTime;
import io.outbox.model.EventStatus;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/** A filter for events. A condition that is not set matches all. Immutable. */
public final class EventFilter {

  /** Every event. */
  public static final EventFilter ALL = builder().build();

  /** No column that is compared is longer, but for errors. */
  private static final int MAX_LENGTH = 1000;

  private final Builder given;

  private EventFilter(Builder given) {
    this.given = given;
  }

  public static Builder builder() {
    return new Builder();
  }

  /** Events of this status. */
  public static EventFilter of(EventStatus status) {
    return builder().status(Objects.requireNonNull(status, "status")).build();
  }

  /** A builder with the conditions of this filter. */
  public Builder toBuilder() {
    return given.copy();
  }

  /** Empty for all. */
  public Set<EventStatus> statuses() {
    return Set.copyOf(given.statuses);
  }

  /** Whether it must, or must not, be leased. */
  public Optional<Boolean> leased() {
    return Optional.ofNullable(given.leased);
  }

  /** Leased before this instant, and not renewed since. */
  public Optional<Instant> leasedBefore() {
    return Optional.ofNullable(given.leasedBefore);
  }

  public Optional<String> eventType() {
    return Optional.ofNullable(given.eventType);
  }

  public Optional<String> aggregateType() {
    return Optional.ofNullable(given.aggregateType);
  }

  public Optional<String> aggregateId() {
    return Optional.ofNullable(given.aggregateId);
  }

  public Optional<String> tenantId() {
    return Optional.ofNullable(given.tenantId);
  }

  public Optional<String> orderingKey() {
    return Optional.ofNullable(given.orderingKey);
  }

  public Optional<String> idPrefix() {
    return Optional.ofNullable(given.idPrefix);
  }

  /** 0 for any. */
  public int minAttempts() {
    return given.minAttempts;
  }

  /** Text that the error contains, in upper or lower case. */
  public Optional<String> errorContains() {
    return Optional.ofNullable(given.errorContains);
  }

  /** The {@linkplain ErrorGroup#pattern() pattern} of the error's first line. */
  public Optional<String> errorPattern() {
    return Optional.ofNullable(given.errorPattern);
  }

  /** Inclusive. */
  public Optional<Instant> createdFrom() {
    return Optional.ofNullable(given.createdFrom);
  }

  /** Exclusive. */
  public Optional<Instant> createdUntil() {
    return Optional.ofNullable(given.createdUntil);
  }

  /** The text for an audit, for example {@code status=DEAD type=OrderPlaced error~timeout}. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    if (!given.statuses.isEmpty()) {
      append(text, "status=", String.join(",", given.statuses.stream().map(Enum::name).toList()));
    }
    append(text, "leased=", given.leased);
    append(text, "leasedBefore=", given.leasedBefore);
    append(text, "type=", given.eventType);
    append(text, "aggregateType=", given.aggregateType);
    append(text, "aggregateId=", given.aggregateId);
    append(text, "tenant=", given.tenantId);
    append(text, "key=", given.orderingKey);
    append(text, "id^=", given.idPrefix);
    append(text, "attempts>=", given.minAttempts == 0 ? null : given.minAttempts);
    append(text, "error~", given.errorContains);
    append(text, "errorPattern=", given.errorPattern);
    append(text, "created>=", given.createdFrom);
    append(text, "created<", given.createdUntil);
    return text.isEmpty() ? "all" : text.toString();
  }

  private static void append(StringBuilder text, String name, Object value) {
    if (value != null) {
      text.append(text.isEmpty() ? "" : " ").append(name).append(value);
    }
  }

  /**
   * Collects conditions; a null or an empty text lifts the one it names, and a text or time that no
   * database can store or a text that is longer than {@value #MAX_LENGTH} characters is refused
   * with an {@link IllegalArgumentException}. Not thread-safe.
   */
  public static final class Builder implements Cloneable {

    private Set<EventStatus> statuses = EnumSet.noneOf(EventStatus.class);
    private Boolean leased;
    private Instant leasedBefore;
    private String eventType;
    private String aggregateType;
    private String aggregateId;
    private String tenantId;
    private String orderingKey;
    private String idPrefix;
    private int minAttempts;
    private String errorContains;
    private String errorPattern;
    private Instant createdFrom;
    private Instant createdUntil;

    private Builder() {}

    /** One of these. */
    public Builder status(EventStatus... values) {
      return statuses(Set.of(Objects.requireNonNull(values, "statuses")));
    }

    /** One of these; empty for all. */
    public Builder statuses(Set<EventStatus> values) {
      statuses = EnumSet.noneOf(EventStatus.class);
      statuses.addAll(Objects.requireNonNull(values, "statuses"));
      return this;
    }

    /** Events in this state of an operator's view. */
    public Builder state(LifecycleState state) {
      switch (Objects.requireNonNull(state, "state")) {
        case PENDING -> status(EventStatus.NEW, EventStatus.RETRY).leased = false;
        case LEASED -> status(EventStatus.NEW, EventStatus.RETRY).leased = true;
        case DONE -> status(EventStatus.DONE).leased = null;
        case DEAD -> status(EventStatus.DEAD).leased = null;
      }
      return this;
    }

    /** Whether a node holds a lease; null for either. */
    public Builder leased(Boolean value) {
      leased = value;
      return this;
    }

    /** Pending events leased before this instant and not renewed since. */
    public Builder leasedBefore(Instant value) {
      leasedBefore = StorableTime.require("leasedBefore", value);
      return this;
    }

    public Builder eventType(String value) {
      eventType = unlessEmpty(value);
      return this;
    }

    public Builder aggregateType(String value) {
      aggregateType = unlessEmpty(value);
      return this;
    }

    public Builder aggregateId(String value) {
      aggregateId = unlessEmpty(value);
      return this;
    }

    public Builder tenantId(String value) {
      tenantId = unlessEmpty(value);
      return this;
    }

    public Builder orderingKey(String value) {
      orderingKey = unlessEmpty(value);
      return this;
    }

    /** The beginning of the event id. */
    public Builder idPrefix(String value) {
      idPrefix = unlessEmpty(value);
      return this;
    }

    /** At least this many failed attempts. */
    public Builder minAttempts(int value) {
      minAttempts = Math.max(0, value);
      return this;
    }

    /** Text in the error, in upper or lower case. */
    public Builder errorContains(String value) {
      errorContains = unlessEmpty(value);
      return this;
    }

    /**
     * The first line of the error, with {@code #} for numbers and ids: the {@link
     * ErrorGroup#pattern()} of an overview.
     */
    public Builder errorPattern(String value) {
      errorPattern = unlessEmpty(value);
      return this;
    }

    /** Inclusive. */
    public Builder createdFrom(Instant value) {
      createdFrom = StorableTime.require("createdFrom", value);
      return this;
    }

    /** Exclusive. */
    public Builder createdUntil(Instant value) {
      createdUntil = StorableTime.require("createdUntil", value);
      return this;
    }

    private static String unlessEmpty(String value) {
      return value == null || value.isEmpty()
          ? null
          : TextChecks.column("a condition of a filter", value, MAX_LENGTH);
    }

    public EventFilter build() {
      return new EventFilter(copy());
    }

    private Builder copy() {
      try {
        Builder copy = (Builder) clone();
        return copy.statuses(statuses);
      } catch (CloneNotSupportedException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
