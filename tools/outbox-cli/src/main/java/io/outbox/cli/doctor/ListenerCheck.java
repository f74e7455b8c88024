package io.outbox.cli.doctor;

import io.outbox.cli.output.Words;
import io.outbox.operate.ListenerOutage;
import io.outbox.operate.Overview;
import io.outbox.operate.RouteWithoutListener;
import io.outbox.spi.MemberDetail;
import io.outbox.util.Printable;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Whether there are listeners, and they and their destinations answer. */
final class ListenerCheck implements Check {

  private static final int MAX_SHOWN = 5;

  @Override
  public String name() {
    return "listeners";
  }

  @Override
  public List<Finding> examine(Examination examination) {
    Overview overview = examination.overview();
    List<Finding> findings = new ArrayList<>();
    overview.outages().forEach(outage -> findings.add(finding(outage)));
    overview.withoutListener().forEach(missing -> findings.add(finding(missing)));
    return findings.isEmpty()
        ? List.of(Finding.ok(name(), "no node reports one as down or missing" + busy(overview)))
        : findings;
  }

  /** That is what a policy is for, so it is no problem. */
  private static String busy(Overview overview) {
    return overview.members().stream()
        .flatMap(member -> MemberDetail.read(member.detail()).busy().stream())
        .map(busy -> "; events wait for " + busy.waitsFor() + " since " + Words.time(busy.since()))
        .distinct()
        .limit(MAX_SHOWN)
        .map(Printable::line)
        .collect(Collectors.joining());
  }

  private Finding finding(RouteWithoutListener missing) {
    return Finding.warning(
        name(),
        Printable.line(
            "no listener for "
                + missing.route()
                + " on any node since "
                + Words.time(missing.since())
                + (missing.nearMiss() == null ? "" : "; " + missing.nearMiss())),
        "its events wait in the table, and become DEAD when the nodes' grace period ends: after 5"
            + " minutes unless missingListenerGrace says otherwise",
        missing.nearMiss() == null
            ? "start a node that has the listener, or correct the type in the code that writes"
            : "give the listener and the events the same aggregate type");
  }

  private Finding finding(ListenerOutage outage) {
    return Finding.warning(
        name(),
        Printable.line(
            "listener "
                + outage.name()
                + " is down since "
                + Words.time(outage.since())
                + " on "
                + String.join(", ", outage.nodes())
                + ", its circuit breaker "
                + outage.state()
                + ": "
                + outage.reason()),
        "its events wait in the table, without an attempt counted, and are delivered when it"
            + " answers",
        "repair its destination; the outbox tries it again by itself"
            + (outage.nextTrial() == null ? "" : ", next at " + Words.time(outage.nextTrial())));
  }
}
