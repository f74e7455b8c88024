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
 */
public record RouteWithoutListener(EventRoute route, Instant since) {

  public RouteWithoutListener {
    Objects.requireNonNull(route, "route");
    Objects.requireNonNull(since, "since");
  }

  /** What all of these nodes lack that deliver, the longest first. */
  public static List<RouteWithoutListener> of(List<Member> members) {
    Map<EventRoute, Instant> missing = null;
    for (Member member : members) {
      if (member.delivers()) {
        missing = missing == null ? missingOn(member) : both(missing, missingOn(member));
      }
    }
    return missing == null
        ? List.of()
        : missing.entrySet().stream()
            .map(entry -> new RouteWithoutListener(entry.getKey(), entry.getValue()))
            .sorted(
                Comparator.comparing(RouteWithoutListener::since)
                    .thenComparing(each -> each.route().toString()))
            .toList();
  }

  private static Map<EventRoute, Instant> missingOn(Member member) {
    Map<EventRoute, Instant> missing = new HashMap<>();
    for (MissingListener listener : MemberDetail.read(member.detail()).missingListeners()) {
      missing.put(listener.route(), listener.since());
    }
    return missing;
  }

  private static Map<EventRoute, Instant> both(
      Map<EventRoute, Instant> one, Map<EventRoute, Instant> other) {
    Map<EventRoute, Instant> both = new HashMap<>(one);
    both.keySet().retainAll(other.keySet());
    both.replaceAll((route, since) -> later(since, other.get(route)));
    return both;
  }

  private static Instant later(Instant one, Instant other) {
    return one.isAfter(other) ? one : other;
  }
}
