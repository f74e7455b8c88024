package io.outbox.operate;

import io.outbox.model.EventStatus;
import io.outbox.spi.Member;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * An overview of the table, from a few statements that read a bounded number of rows.
 *
 * @param at the database's time
 * @param counts events by status
 * @param states events by their state in an operator's view
 * @param oldestPending when the oldest undelivered event was first due or replayed, whatever it
 *     waits for, or will be due; null if all are delivered
 * @param throughput null if it cannot be told, for example because delivered events are deleted
 * @param stuckLeases events that were leased long ago and not renewed since
 * @param blockedKeys keys that wait because one of their events is DEAD
 * @param errors of RETRY and DEAD events, the most frequent first, among the newest
 * @param errorsAmong how many rows were looked at for {@code errors}
 * @param members the nodes that are alive, the oldest first; empty if that is not kept
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
    List<DeliveryPause> pauses,
    List<Member> members) {

  /**
   * How many events were delivered lately.
   *
   * @param perMinute the rate, from the newest events that were delivered
   * @param events how many of them were looked at
   * @param over in which time they were delivered, until now
   */
  public record Throughput(double perMinute, int events, Duration over) {
    public Throughput {
      Objects.requireNonNull(over, "over");
    }
  }

  public Overview {
    Objects.requireNonNull(at, "at");
    counts = new EnumMap<>(Objects.requireNonNull(counts, "counts"));
    states = new EnumMap<>(Objects.requireNonNull(states, "states"));
    Objects.requireNonNull(stuckLeases, "stuckLeases");
    Objects.requireNonNull(blockedKeys, "blockedKeys");
    errors = List.copyOf(Objects.requireNonNull(errors, "errors"));
    pauses = List.copyOf(Objects.requireNonNull(pauses, "pauses"));
    members = List.copyOf(Objects.requireNonNull(members, "members"));
  }

  /** The nodes that deliver next to another process in a single-process mode. */
  public List<Member> secondProcesses() {
    return members.stream()
        .filter(member -> members.stream().anyMatch(member::collidesWith))
        .toList();
  }

  /** The nodes that deliver nothing because nodes of another mode do. */
  public List<Member> waitingNodes() {
    return members.stream().filter(member -> !member.delivers()).toList();
  }

  /** The listeners that are down on some nodes, the longest outage first. */
  public List<ListenerOutage> outages() {
    return ListenerOutage.of(members);
  }

  /** How many more are down on a node, at least, than it has told. */
  public int moreOutages() {
    return ListenerOutage.more(members);
  }

  /** The event types that no delivering node has a listener for, the longest first. */
  public List<RouteWithoutListener> withoutListener() {
    return RouteWithoutListener.of(members);
  }

  /** For how long the oldest undelivered event has been due; zero if none is. */
  public Duration lag() {
    return oldestPending == null || oldestPending.isAfter(at)
        ? Duration.ZERO
        : Duration.between(oldestPending, at);
  }
}
