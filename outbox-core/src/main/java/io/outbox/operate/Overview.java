package io.outbox.operate;

import io.outbox.model.EventStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * What is in the table, found with a few statements that read a bounded number of rows.
 *
 * @param at the database's time
 * @param counts events by status
 * @param states events by their state in an operator's view
 * @param oldestPending since when the oldest event that nobody has leased could be delivered, or
 *     will be; null if none waits
 * @param throughput null if it cannot be told, for example because delivered events are deleted
 * @param stuckLeases events that were leased long ago and not renewed since
 * @param blockedKeys keys that wait because one of their events is DEAD
 * @param errors of RETRY and DEAD events, the most frequent first, among the newest
 * @param errorsAmong how many rows were looked at for {@code errors}
 */
public record Overview(
    Instant at,
    Map<EventStatus, Count> counts,
    Map<LifecycleState, Count> states,
    Instant oldestPending,
    Throughput throughput,
    Count stuckLeases,
    Count blockedKeys,
    List<ErrorGroup> errors,
    int errorsAmong,
    List<DeliveryPause> pauses) {

  /**
   * How many events were delivered lately.
   *
   * @param perMinute the rate, from the newest events that were delivered
   * @param events how many of them were looked at
   * @param over in which time they were delivered, until now
   */
  public record Throughput(double perMinute, int events, Duration over) {}

  public Overview {
    Objects.requireNonNull(at, "at");
    counts = new EnumMap<>(counts);
    states = new EnumMap<>(states);
    Objects.requireNonNull(stuckLeases, "stuckLeases");
    Objects.requireNonNull(blockedKeys, "blockedKeys");
    errors = List.copyOf(errors);
    pauses = List.copyOf(pauses);
  }

  /** How long the oldest pending event has been due; zero if none is. */
  public Duration lag() {
    return oldestPending == null || oldestPending.isAfter(at)
        ? Duration.ZERO
        : Duration.between(oldestPending, at);
  }
}
