package io.outbox.console.internal.api;

import io.outbox.console.internal.http.HttpFailure;
import io.outbox.console.internal.http.Parameters;
import io.outbox.model.EventStatus;
import io.outbox.operate.EventFilter;
import io.outbox.operate.LifecycleState;
import io.outbox.operate.OutboxOperator;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Reads which events are meant from the parameters of an address. */
final class Filters {

  private static final Set<String> NAMES =
      Set.of(
          "state",
          "status",
          "leased",
          "stuck",
          "type",
          "aggregateType",
          "aggregateId",
          "tenant",
          "key",
          "id",
          "attempts",
          "error",
          "errorPattern",
          "from",
          "until");

  /** Archived events are finished, and nobody holds them. */
  private static final Set<String> ARCHIVED =
      Set.of(
          "status",
          "type",
          "aggregateType",
          "aggregateId",
          "tenant",
          "key",
          "id",
          "error",
          "from",
          "until");

  private Filters() {}

  /**
   * What is not known, empty or there twice is refused: a condition that is overlooked would make
   * an action hit more.
   *
   * @param others parameters that are no conditions
   */
  static EventFilter parse(Parameters given, OutboxOperator operator, String... others) {
    return parse(NAMES, given, operator, others);
  }

  /** Which archived events are meant. */
  static EventFilter parseArchived(Parameters given, OutboxOperator operator, String... others) {
    return parse(ARCHIVED, given, operator, others);
  }

  /** For an action on all that match: that takes a condition. */
  static void requireSome(EventFilter filter) {
    if (filter.toString().equals(EventFilter.ALL.toString())) {
      throw HttpFailure.badRequest(
          "'filter' says nothing. Send 'status=' and all statuses to mean every event.");
    }
  }

  private static EventFilter parse(
      Set<String> names, Parameters given, OutboxOperator operator, String... others) {
    for (String name : given.names()) {
      if (names.contains(name)) {
        given.requireOne(name);
      } else if (!Arrays.asList(others).contains(name)) {
        throw HttpFailure.badRequest(
            "Events cannot be filtered by '" + name + "', only by " + sorted(names) + ".");
      }
    }
    EventFilter.Builder filter = start(given, operator);
    List<String> statuses = given.all("status");
    if (!statuses.isEmpty()) {
      Set<EventStatus> wanted = EnumSet.noneOf(EventStatus.class);
      statuses.forEach(status -> wanted.add(constant(EventStatus.class, "status", status)));
      filter.statuses(wanted);
    }
    if (given.get("leased") != null) {
      filter.leased(isTrue(given, "leased"));
    }
    return filter
        .eventType(given.get("type"))
        .aggregateType(given.get("aggregateType"))
        .aggregateId(given.get("aggregateId"))
        .tenantId(given.get("tenant"))
        .orderingKey(given.get("key"))
        .idPrefix(given.get("id"))
        .minAttempts(given.number("attempts", 0, 0, Integer.MAX_VALUE))
        .errorContains(given.get("error"))
        .errorPattern(given.get("errorPattern"))
        .createdFrom(instant("from", given.get("from")))
        .createdUntil(instant("until", given.get("until")))
        .build();
  }

  private static EventFilter.Builder start(Parameters given, OutboxOperator operator) {
    EventFilter.Builder filter =
        isTrue(given, "stuck") ? operator.stuckLeases().toBuilder() : EventFilter.builder();
    String state = given.get("state");
    return state == null ? filter : filter.state(constant(LifecycleState.class, "state", state));
  }

  private static boolean isTrue(Parameters given, String name) {
    String value = given.get(name);
    if (value != null && !value.equals("true") && !value.equals("false")) {
      throw HttpFailure.badRequest("'" + name + "' must be true or false, not '" + value + "'.");
    }
    return "true".equals(value);
  }

  private static <E extends Enum<E>> E constant(Class<E> type, String name, String value) {
    try {
      return Enum.valueOf(type, value.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      throw HttpFailure.badRequest(
          "'" + name + "' must be one of " + EnumSet.allOf(type) + ", not '" + value + "'.");
    }
  }

  /** Null stays null. */
  static Instant instant(String name, String value) {
    try {
      return value == null ? null : Instant.parse(value);
    } catch (DateTimeParseException e) {
      throw HttpFailure.badRequest(
          "'" + name + "' must be a time such as 2026-01-31T12:00:00Z, not '" + value + "'.");
    }
  }

  private static List<String> sorted(Set<String> names) {
    return names.stream().sorted().toList();
  }
}
