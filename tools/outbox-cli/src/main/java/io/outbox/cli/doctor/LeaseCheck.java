package io.outbox.cli.doctor;

import io.outbox.cli.output.Words;
import io.outbox.operate.Count;
import java.util.List;

/** Leases that nobody has renewed for long. */
final class LeaseCheck implements Check {

  @Override
  public String name() {
    return "leases";
  }

  @Override
  public List<Finding> examine(Examination examination) {
    Count stuck = examination.overview().stuckLeases();
    if (stuck.value() == 0) {
      return List.of(Finding.ok(name(), "none is stuck"));
    }
    return List.of(
        Finding.warning(
            name(),
            Words.events(stuck) + " leased more than 5 minutes ago and not renewed since",
            "their node is dead or hangs, and no other has taken them over; with a"
                + " longer claim timeout that is normal",
            "outbox list --stuck, and if that node is gone: outbox release --stuck"));
  }
}
