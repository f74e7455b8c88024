package io.outbox.cli.doctor;

import io.outbox.jdbc.Addition;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.operate.Overview;
import io.outbox.spi.Member;
import io.outbox.util.Printable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Which nodes deliver: of one mode, and one process in a mode for one. */
final class NodesCheck implements Check {

  /** How long a lone node may be away. */
  private static final Duration RESTART = Duration.ofMinutes(1);

  @Override
  public String name() {
    return "nodes";
  }

  @Override
  public List<Finding> examine(Examination examination) {
    List<String> missing =
        OutboxSchema.problems(
            examination.session().dataSource(), examination.session().table(), Addition.MEMBERS);
    if (!missing.isEmpty()) {
      return List.of(
          Finding.warning(
              name(),
              String.join("; ", missing),
              "nodes of different modes may deliver events twice; a second"
                  + " process in a single-process mode is not noticed",
              "outbox schema create"));
    }
    Overview overview = examination.overview();
    List<Finding> findings = new ArrayList<>();
    List<Member> doubles = overview.secondProcesses();
    if (!doubles.isEmpty()) {
      findings.add(
          Finding.problem(
              name(),
              doubles.size() + " processes deliver in a single-process mode: " + names(doubles),
              "events may be delivered twice, and in ordered() out of order",
              "stop all but one of them, or use multiNode() or orderedByKey()"));
    }
    List<Member> waiting = overview.waitingNodes();
    if (!waiting.isEmpty()) {
      findings.add(
          Finding.warning(
              name(),
              "nodes that wait for those of another mode: " + names(waiting),
              "they write events and deliver none; usual while a deployment changes the mode",
              "stop the nodes of the old mode: outbox status lists them"));
    }
    if (overview.members().isEmpty() && overview.lag().compareTo(RESTART) > 0) {
      findings.add(
          Finding.warning(
              name(),
              "events are due, and no known node delivers",
              "they wait in the table until a node starts",
              "start an application or a relay that delivers from this table"));
    }
    if (findings.isEmpty()) {
      findings.add(Finding.ok(name(), ok(overview.members())));
    }
    return findings;
  }

  private static String ok(List<Member> members) {
    return members.isEmpty() ? "no node delivers now" : "these deliver: " + names(members);
  }

  private static String names(List<Member> members) {
    return Printable.line(
        members.stream()
            .map(member -> member.node() + " (" + member.mode() + ")")
            .collect(Collectors.joining(", ")));
  }
}
