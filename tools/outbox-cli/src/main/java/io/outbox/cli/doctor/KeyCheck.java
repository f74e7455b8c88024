package io.outbox.cli.doctor;

import io.outbox.cli.output.Words;
import io.outbox.spi.lanes.KeyBlock;
import io.outbox.util.Printable;
import java.util.ArrayList;
import java.util.List;

/** Order by key: whether lanes have owners, and keys go on. */
final class KeyCheck implements Check {

  private static final int SHOWN = 3;

  private record Lanes(int all, int everOwned, int owned) {}

  @Override
  public String name() {
    return "keys";
  }

  @Override
  public List<Finding> examine(Examination examination) {
    if (!examination.hasSibling("lane")) {
      return List.of(Finding.ok(name(), "order by key is not prepared"));
    }
    List<Finding> findings = new ArrayList<>();
    findings.add(lanes(examination));
    List<KeyBlock> blocks = examination.operator().blockedKeys(SHOWN);
    blocks.forEach(block -> findings.add(blocked(block)));
    if (blocks.isEmpty()) {
      findings.add(Finding.ok(name(), "none is blocked"));
    }
    return findings;
  }

  private Finding lanes(Examination examination) {
    Lanes lanes =
        examination
            .query(
                "SELECT COUNT(*), COUNT(owner),"
                    + " COUNT(CASE WHEN owner IS NOT NULL AND owned_until > ? THEN 1 END) FROM "
                    + examination.table()
                    + "_lane",
                row -> new Lanes(row.getInt(1), row.getInt(2), row.getInt(3)),
                examination.database().parameter(examination.now()))
            .get(0);
    if (lanes.everOwned() == 0) {
      return Finding.ok(name(), "order by key is prepared; no node has used it");
    } else if (lanes.owned() == lanes.all()) {
      return Finding.ok(name(), "all " + lanes.all() + " lanes have an owner");
    }
    return Finding.warning(
        name(),
        lanes.all() - lanes.owned() + " of " + lanes.all() + " lanes have no owner at present",
        "the events of their keys wait until a node takes these lanes over, which takes seconds"
            + " after one ended",
        "check that an application with Outbox.orderedByKey() runs; then run doctor again");
  }

  private Finding blocked(KeyBlock block) {
    return Finding.warning(
        name(),
        "key "
            + Printable.line(block.key().name())
            + " is blocked since "
            + Words.time(block.since())
            + " by the DEAD event "
            + Printable.line(block.eventId()),
        "all later events of that key wait",
        "outbox replay %1$s, or continue without it: outbox skip %1$s --reason ..."
            .formatted(Printable.line(block.eventId())));
  }
}
