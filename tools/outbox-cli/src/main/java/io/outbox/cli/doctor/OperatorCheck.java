package io.outbox.cli.doctor;

import io.outbox.cli.output.Words;
import io.outbox.operate.DeliveryPause;
import io.outbox.util.Printable;
import java.util.ArrayList;
import java.util.List;

/** Whether an operator can act, and what one has paused. */
final class OperatorCheck implements Check {

  @Override
  public String name() {
    return "operator";
  }

  @Override
  public List<Finding> examine(Examination examination) {
    boolean installed =
        examination
            .session()
            .store()
            .operator()
            .map(store -> store.isInstalled(examination.connection()))
            .orElse(false);
    if (!installed) {
      return List.of(
          Finding.warning(
              name(),
              "the tables for pauses and audit are missing",
              "you can see events, but not replay, kill, purge or pause them from here",
              "outbox schema create --operator"));
    }
    List<Finding> findings = new ArrayList<>();
    examination.overview().pauses().forEach(pause -> findings.add(paused(pause)));
    if (findings.isEmpty()) {
      findings.add(
          Finding.ok(name(), "the tables for pauses and audit are there; nothing is paused"));
    }
    if (!examination.hasSibling("hold")) {
      findings.add(
          Finding.ok(
              name(), "no tenant or destination can be paused; outbox schema create adds a table"));
    }
    return findings;
  }

  private Finding paused(DeliveryPause pause) {
    String options =
        (pause.aggregateType() == null ? "" : " --aggregate-type " + pause.aggregateType())
            + (pause.eventType() == null ? "" : " --type " + pause.eventType())
            + (pause.tenantId() == null ? "" : " --tenant " + pause.tenantId())
            + (pause.destination() == null ? "" : " --destination '" + pause.destination() + "'");
    return Finding.warning(
        name(),
        Printable.line(
            "delivery of "
                + (options.isEmpty() ? "all events" : options.strip())
                + " is paused since "
                + Words.time(pause.since())
                + " by "
                + pause.by()
                + (pause.reason() == null ? "" : ": " + pause.reason())),
        "these events wait in the table",
        Printable.line("outbox resume" + (options.isEmpty() ? " --all" : options)));
  }
}
