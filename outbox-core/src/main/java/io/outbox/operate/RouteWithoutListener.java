package io.outbox.operate;

import io.outbox.model.EventRoute;
import io.outbox.spi.Member;
import io.outbox.spi.MemberDetail;
import io.outbox.spi.MemberDetail.MissingListener;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Event types that no delivering node has a listener for. Their events wait in the table, and
 * become DEAD when the nodes' grace period ends.
 *
 * @param since when the last of the nodes noticed it
 * @param nearMiss listeners that the events may have been meant for, for people; null if none is
 *     known
 */
public record RouteWithoutListener(EventRoute route, Instant since, String nearMiss) {

  public RouteWithoutListener {
    Objects.requireNonNull(route, "route");
    Objects.requireNonNull(since, "since");
  }

  /** Routes without a listener on any delivering node, the longest first. */
  public static List<RouteWithoutListener> of(List<Member> members) {
    Map<EventRoute, RouteWithoutListener> missing = null;
    for (Member member : members) {
      if (member.delivers()) {
        missing = missing == null ? missingOn(member) : both(missing, missingOn(member));
      }
    }
    return missing == null
        ? List.of()
        : missing.values().stream()
            .sorted(
                Comparator.comparing(RouteWithoutListener::since)
                    .thenComparing(each -> each.route().toString()))
            .toList();
  }

  private static Map<EventRoute, RouteWithoutListener> missingOn(Member member) {
    Map<EventRoute, RouteWithoutListener> missing = new HashMap<>();
    for (MissingListener listener : MemberDetail.read(member.detail()).missingListeners()) {
      missing.put(
          listener.route(),
          new RouteWithoutListener(listener.route(), listener.since(), listener.nearMiss()));
    }
    return missing;
  }

  private static Map<EventRoute, RouteWithoutListener> both(
      Map<EventRoute, RouteWithoutListener> one, Map<EventRoute, RouteWithoutListener> other) {
    Map<EventRoute, RouteWithoutListener> both = new HashMap<>(one);
    both.keySet().retainAll(other.keySet());
    both.replaceAll((route, missing) -> missing.and(other.get(route)));
    return both;
  }

  private RouteWithoutListener and(RouteWithoutListener other) {
    return new RouteWithoutListener(
        route,
        since.isAfter(other.since) ? since : other.since,
        nearMiss == null ? other.nearMiss : nearMiss);
  }
}
