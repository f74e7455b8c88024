package io.outbox.relay.table;

import io.outbox.Outbox;
import io.outbox.relay.yaml.Section;
import io.outbox.relay.yaml.Values;
import java.time.Duration;

/**
 * The section {@code claim-locking}.
 *
 * @param ownerId null for a name made of host and process
 */
record ClaimLocking(String ownerId, Duration lockTimeout) {

  private static final Duration LONGEST = Duration.ofDays(1);

  static ClaimLocking read(Section section) {
    ClaimLocking locking =
        new ClaimLocking(
            section.text("owner-id"),
            Values.of(section)
                .duration("lock-timeout", Duration.ofSeconds(30), Duration.ofMillis(100)));
    if (locking.lockTimeout().compareTo(LONGEST) > 0) {
      section.problem("lock-timeout", "must be at most " + LONGEST.toDays() + "d");
      return new ClaimLocking(null, LONGEST);
    }
    section.done();
    try {
      locking.applyTo(Outbox.multiNode());
    } catch (IllegalArgumentException e) {
      section.problem("owner-id", e.getMessage());
    }
    return locking;
  }

  void applyTo(Outbox.MultiNodeBuilder builder) {
    if (ownerId == null) {
      builder.claimLocking(lockTimeout);
    } else {
      builder.claimLocking(ownerId, lockTimeout);
    }
  }
}
