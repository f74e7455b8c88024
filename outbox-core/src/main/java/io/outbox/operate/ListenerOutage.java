package io.outbox.operate;

import io.outbox.model.EventRoute;
import io.outbox.spi.Member;
import io.outbox.spi.MemberDetail;
import io.outbox.spi.MemberDetail.Outage;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A listener, or one of its destinations, that is down on some nodes: its circuit breaker is not
 * closed there, and its events wait in the table.
 *
 * @param listener for people
 * @param destination null if all calls of the listener are held back
 * @param state of its circuit breaker: {@link Outage#OPEN}, or {@link Outage#HALF_OPEN} while one
 *     of the nodes tries an event; a later version may have others
 * @param reason what went wrong on the node that noticed it first
 * @param since when the first of the nodes noticed it
 * @param nextTrial when the next of the nodes lets an event through; null if that is not known
 * @param nodes where it is down
 * @param routes of events that wait because of it; not necessarily all
 */
public record ListenerOutage(
    String listener,
    String destination,
    String state,
    String reason,
    Instant since,
    Instant nextTrial,
    List<String> nodes,
    List<EventRoute> routes) {

  public ListenerOutage {
    Objects.requireNonNull(listener, "listener");
    Objects.requireNonNull(state, "state");
    Objects.requireNonNull(reason, "reason");
    Objects.requireNonNull(since, "since");
    nodes = List.copyOf(Objects.requireNonNull(nodes, "nodes"));
    routes = List.copyOf(Objects.requireNonNull(routes, "routes"));
  }

  /** What these nodes say is down, the longest outage first. */
  public static List<ListenerOutage> of(List<Member> members) {
    Map<List<String>, ListenerOutage> outages = new LinkedHashMap<>();
    for (Member member : members) {
      for (Outage outage : MemberDetail.read(member.detail()).outages()) {
        ListenerOutage here = of(member.node(), outage);
        outages.merge(Arrays.asList(here.listener, here.destination), here, ListenerOutage::and);
      }
    }
    return outages.values().stream().sorted(Comparator.comparing(ListenerOutage::since)).toList();
  }

  /** Nodes tell the longest ones only: how many more there are, at least. */
  static int more(List<Member> members) {
    return members.stream()
        .mapToInt(member -> MemberDetail.read(member.detail()).moreOutages())
        .max()
        .orElse(0);
  }

  private static ListenerOutage of(String node, Outage outage) {
    return new ListenerOutage(
        outage.listener(),
        outage.destination(),
        outage.state(),
        outage.reason(),
        outage.since(),
        outage.nextTrial(),
        List.of(node),
        outage.routes());
  }

  private ListenerOutage and(ListenerOutage other) {
    ListenerOutage first = other.since.isBefore(since) ? other : this;
    return new ListenerOutage(
        listener,
        destination,
        other.state.equals(Outage.HALF_OPEN) ? other.state : state,
        first.reason,
        first.since,
        earlier(nextTrial, other.nextTrial),
        both(nodes, other.nodes),
        both(routes, other.routes));
  }

  private static Instant earlier(Instant one, Instant other) {
    if (one == null || other == null) {
      return one == null ? other : one;
    }
    return one.isBefore(other) ? one : other;
  }

  private static <T> List<T> both(List<T> some, List<T> more) {
    List<T> all = new ArrayList<>(some);
    more.stream().filter(each -> !all.contains(each)).forEach(all::add);
    return all;
  }

  /** The listener and its destination, for people. */
  public String name() {
    return destination == null ? listener : listener + " (" + destination + ")";
  }

  /** Whether events of these types were seen to wait because of it. */
  public boolean matches(String aggregateType, String eventType) {
    return routes.stream().anyMatch(route -> route.matches(aggregateType, eventType));
  }
}
