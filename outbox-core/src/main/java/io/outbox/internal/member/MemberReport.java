package io.outbox.internal.member;

import io.outbox.internal.Conditions;
import io.outbox.operate.Condition.Kind;
import io.outbox.operate.RouteWithoutListener;
import io.outbox.spi.DeliveryMode;
import io.outbox.spi.Member;
import io.outbox.spi.MetricsExporter;
import java.util.List;
import java.util.stream.Collectors;

/** Says what a node finds among the nodes of its table: other modes, or a second process. */
public record MemberReport(
    String node, DeliveryMode mode, Conditions conditions, MetricsExporter metrics) {

  void on(boolean delivers, List<Member> members) {
    if (delivers) {
      conditions.clear(Kind.WAITS_FOR_OTHER_MODE);
    } else {
      conditions.raise(Kind.WAITS_FOR_OTHER_MODE, waits(members));
    }
    List<Member> doubles =
        members.stream()
            .filter(member -> member.node().equals(node))
            .flatMap(self -> members.stream().filter(self::collidesWith))
            .toList();
    metrics.recordSecondProcesses(doubles.size());
    metrics.recordMissingListeners(RouteWithoutListener.of(members).size());
    if (doubles.isEmpty()) {
      conditions.clear(Kind.SECOND_PROCESS);
    } else {
      conditions.raise(Kind.SECOND_PROCESS, isNotAlone(doubles));
    }
  }

  private String waits(List<Member> members) {
    List<Member> others =
        members.stream()
            .filter(Member::delivers)
            .filter(member -> !member.mode().equals(mode.name()))
            .toList();
    return ("node %s writes events and delivers none: nodes of another mode than its %s deliver"
            + " from the table (%s). It begins when they are closed, or not heard of for %s s.")
        .formatted(node, mode, names(others), Membership.LIFETIME.toSeconds());
  }

  private String isNotAlone(List<Member> doubles) {
    return ("another process delivers from the table of node %s (%s), so events may be delivered"
            + " twice: %s is for one process. Stop one of them, or use %s.")
        .formatted(
            node,
            names(doubles),
            mode,
            mode == DeliveryMode.SINGLE_NODE
                ? DeliveryMode.MULTI_NODE
                : DeliveryMode.ORDERED_BY_KEY);
  }

  private static String names(List<Member> members) {
    return members.stream()
        .map(member -> member.node() + ", " + member.mode())
        .collect(Collectors.joining("; "));
  }
}
