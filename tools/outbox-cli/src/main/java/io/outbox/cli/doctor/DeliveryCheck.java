package io.outbox.cli.doctor;

import io.outbox.cli.output.Words;
import io.outbox.model.EventStatus;
import io.outbox.operate.Count;
import io.outbox.operate.Overview;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Whether events arrive. */
final class DeliveryCheck implements Check {

  private static final Duration LONG = Duration.ofMinutes(5);

  @Override
  public String name() {
    return "delivery";
  }

  @Override
  public List<Finding> examine(Examination examination) {
    Overview overview = examination.overview();
    List<Finding> findings = new ArrayList<>();
    if (overview.lag().compareTo(LONG) > 0) {
      findings.add(
          Finding.warning(
              name(),
              "the oldest undelivered event has been due for " + Words.duration(overview.lag()),
              "no node delivers, or not fast enough, a destination is down, or delivery is paused",
              "check that an application with the outbox runs, then: outbox status --watch"));
    }
    Count dead = overview.counts().getOrDefault(EventStatus.DEAD, Count.exactly(0));
    if (dead.value() > 0) {
      findings.add(
          Finding.warning(
              name(),
              Words.events(dead) + " DEAD",
              "they are not delivered any more",
              "outbox list --status DEAD, and when the cause is gone: outbox replay --status DEAD"));
    }
    if (findings.isEmpty()) {
      findings.add(
          Finding.ok(
              name(),
              "nothing has been due for over " + Words.duration(LONG) + ", nothing is DEAD"));
    }
    return findings;
  }
}
