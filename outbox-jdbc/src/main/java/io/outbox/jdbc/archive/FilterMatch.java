package io.outbox.jdbc.archive;

import io.outbox.jdbc.internal.search.ErrorPattern;
import io.outbox.model.OutboxEvent;
import io.outbox.operate.EventFilter;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;

/** Whether an archived event meets all conditions of a filter. */
final class FilterMatch implements Predicate<OutboxEvent> {

  private final EventFilter filter;
  private final Optional<String> error;

  FilterMatch(EventFilter filter) {
    this.filter = filter;
    this.error = filter.errorContains().map(FilterMatch::lowerCase);
  }

  @Override
  public boolean test(OutboxEvent event) {
    // No archived event is leased.
    return !filter.leased().orElse(false)
        && filter.leasedBefore().isEmpty()
        && (filter.statuses().isEmpty() || filter.statuses().contains(event.status()))
        && event.attempts() >= filter.minAttempts()
        && hasError(event.lastError())
        && mayMatchInAnotherLife(event);
  }

  /** Whether it meets the conditions on what a replay does not change. */
  boolean mayMatchInAnotherLife(OutboxEvent event) {
    return isSame(filter.eventType(), event.eventType())
        && isSame(filter.aggregateType(), event.aggregateType())
        && isSame(filter.aggregateId(), event.aggregateId())
        && isSame(filter.tenantId(), event.tenantId())
        && isSame(filter.orderingKey(), event.orderingKey())
        && filter.idPrefix().map(event.eventId()::startsWith).orElse(true)
        && isCreatedWithin(event.createdAt());
  }

  private static boolean isSame(Optional<String> wanted, String value) {
    return wanted.isEmpty() || wanted.get().equals(value);
  }

  private boolean isCreatedWithin(Instant at) {
    return filter.createdFrom().map(from -> !at.isBefore(from)).orElse(true)
        && filter.createdUntil().map(at::isBefore).orElse(true);
  }

  private boolean hasError(String text) {
    return error.map(part -> text != null && lowerCase(text).contains(part)).orElse(true)
        && filter
            .errorPattern()
            .map(pattern -> ErrorPattern.of(ErrorPattern.firstLine(text)).equals(pattern))
            .orElse(true);
  }

  private static String lowerCase(String text) {
    return text.toLowerCase(Locale.ROOT);
  }
}
