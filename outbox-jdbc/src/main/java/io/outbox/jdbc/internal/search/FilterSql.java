package io.outbox.jdbc.internal.search;

import io.outbox.jdbc.internal.Conditions;
import io.outbox.jdbc.internal.Product;
import io.outbox.model.EventStatus;
import io.outbox.operate.EventFilter;
import io.outbox.operate.EventSummary;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** What a filter says, in SQL. */
final class FilterSql {

  private static final String HIGHEST = Character.toString(Character.MAX_CODE_POINT);

  private final Product product;

  FilterSql(Product product) {
    this.product = product;
  }

  /** What the order's index can do: it bounds the rows that are looked at. */
  Conditions along(SearchOrder order, EventFilter filter) {
    Conditions bounds = new Conditions();
    filter.idPrefix().filter(p -> order == SearchOrders.BY_ID).ifPresent(p -> addRange(bounds, p));
    if (order == SearchOrders.BY_AGGREGATE) {
      filter.aggregateId().ifPresent(id -> bounds.add("aggregate_id = ?", id));
    }
    if (order == SearchOrders.BY_KEY) {
      filter.orderingKey().ifPresent(key -> bounds.add("ordering_key = ?", key));
    }
    if (isByCreation(order)) {
      addCreated(bounds, filter);
    }
    if (isByLease(order)) {
      addTime(bounds, order.at() + " < ?", filter.leasedBefore());
    }
    return bounds;
  }

  private static boolean isByCreation(SearchOrder order) {
    return "created_at".equals(order.at());
  }

  private static boolean isByLease(SearchOrder order) {
    return order.index().equals("leased");
  }

  /**
   * Wherever such ids are in the order of the database, which may be that of a language; what is
   * between them besides is left to LIKE.
   */
  private void addRange(Conditions bounds, String prefix) {
    if (product == Product.POSTGRESQL) {
      bounds.add(
          "event_id >= ? AND event_id <= GREATEST(?::varchar, ?::varchar, ?::varchar)",
          prefix,
          prefix + "z".repeat(40),
          prefix + "~".repeat(40),
          prefix + HIGHEST);
    } else {
      bounds.add("event_id >= ? AND event_id <= ?", prefix, prefix + HIGHEST);
    }
  }

  /** What is left to look at in each row. */
  Conditions beside(SearchOrder order, EventFilter filter) {
    Conditions rest = new Conditions();
    Set<EventStatus> statuses = filter.statuses();
    if (!statuses.isEmpty() && !statuses.containsAll(order.statuses())) {
      rest.add("status IN (" + codes(statuses) + ")");
    }
    addLease(rest, order, filter);
    addText(rest, "event_type = ?", filter.eventType());
    addText(rest, "aggregate_type = ?", filter.aggregateType());
    addText(rest, "tenant_id = ?", filter.tenantId());
    if (order != SearchOrders.BY_AGGREGATE) {
      addText(rest, "aggregate_id = ?", filter.aggregateId());
    }
    if (order != SearchOrders.BY_KEY) {
      addText(rest, "ordering_key = ?", filter.orderingKey());
    }
    addText(rest, "event_id LIKE ? ESCAPE '!'", filter.idPrefix().map(p -> escaped(p) + "%"));
    if (filter.minAttempts() > 0) {
      rest.add("attempts >= ?", filter.minAttempts());
    }
    if (!isByCreation(order)) {
      addCreated(rest, filter);
    }
    addText(
        rest,
        "LOWER(last_error) LIKE LOWER(?) ESCAPE '!'",
        filter.errorContains().map(text -> "%" + escaped(text) + "%"));
    filter.errorPattern().ifPresent(pattern -> addPattern(rest, pattern));
    return rest;
  }

  /** Of as much of the error as the overview looks at. */
  private void addPattern(Conditions rest, String pattern) {
    String sql =
        "LEFT(last_error, %s) %s ?"
            .formatted(EventSummary.ERROR_LENGTH, product == Product.POSTGRESQL ? "~" : "REGEXP");
    boolean none = pattern.equals(ErrorPattern.NONE);
    rest.add(
        none ? "last_error IS NULL OR CHAR_LENGTH(last_error) = 0 OR " + sql : sql,
        ErrorPattern.regex(pattern, product));
  }

  /** What SQL cannot tell exactly of rows that it has found. */
  static Predicate<EventSummary> exactly(EventFilter filter) {
    return filter
        .errorPattern()
        .<Predicate<EventSummary>>map(
            pattern ->
                event -> ErrorPattern.of(ErrorPattern.firstLine(event.lastError())).equals(pattern))
        .orElse(event -> true);
  }

  private void addLease(Conditions rest, SearchOrder order, EventFilter filter) {
    if (isByLease(order)) {
      return;
    }
    if (filter.leased().orElse(false) || filter.leasedBefore().isPresent()) {
      rest.add("status IN (0, 2) AND locked_by IS NOT NULL");
      addTime(rest, "locked_at < ?", filter.leasedBefore());
    } else if (filter.leased().isPresent() && !order.index().equals("due")) {
      rest.add("locked_by IS NULL");
    }
  }

  private void addCreated(Conditions conditions, EventFilter filter) {
    addTime(conditions, "created_at >= ?", filter.createdFrom());
    addTime(conditions, "created_at < ?", filter.createdUntil());
  }

  private void addTime(Conditions conditions, String text, Optional<Instant> at) {
    at.ifPresent(value -> conditions.add(text, product.parameter(value)));
  }

  private static void addText(Conditions conditions, String text, Optional<String> value) {
    value.ifPresent(given -> conditions.add(text, given));
  }

  private static String codes(Set<EventStatus> statuses) {
    return statuses.stream()
        .sorted()
        .map(status -> String.valueOf(status.code()))
        .collect(Collectors.joining(", "));
  }

  /** Not with a backslash, which means something in the texts of some databases. */
  static String escaped(String text) {
    return text.replace("!", "!!").replace("%", "!%").replace("_", "!_");
  }
}
