package io.outbox.relay.table;

import io.outbox.Outbox;
import io.outbox.relay.yaml.Section;
import io.outbox.relay.yaml.Values;
import java.time.Duration;

/**
 * The section {@code ordered-by-key}.
 *
 * @param node null for a name made of host and process
 */
record OrderedByKey(
    String node, Duration lease, Duration handover, boolean notifications, AfterDead afterDead) {

  private static final Duration LONGEST_LEASE = Duration.ofHours(1);

  /** What becomes of the events of a key behind one that is DEAD. */
  enum AfterDead {
    CONTINUE,
    BLOCK
  }

  static OrderedByKey read(Section section) {
    Values values = Values.of(section);
    OrderedByKey ordered =
        new OrderedByKey(
            section.text("node"),
            values.duration("lease", Duration.ofSeconds(15), Duration.ofMillis(500)),
            values.duration("handover", Duration.ofSeconds(10), Duration.ofMillis(1)),
            values.flag("notifications", false),
            values.choice("after-dead", AfterDead.class, AfterDead.CONTINUE));
    section.done();
    try {
      ordered.applyTo(Outbox.orderedByKey());
    } catch (IllegalArgumentException e) {
      section.problem(
          ordered.lease().compareTo(LONGEST_LEASE) > 0 ? "lease" : "node", e.getMessage());
    }
    return ordered;
  }

  void applyTo(Outbox.OrderedByKeyBuilder builder) {
    if (node != null) {
      builder.node(node);
    }
    builder.laneLease(lease).laneHandover(handover).notifications(notifications);
    if (afterDead == AfterDead.BLOCK) {
      builder.blockAfterDead();
    }
  }
}
