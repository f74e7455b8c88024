package io.outbox.spi;

import java.time.Instant;
import java.util.Objects;

/**
 * A node that delivers from a table, or waits to. All times are the database's.
 *
 * @param node its owner id, as in {@code locked_by}
 * @param mode the name of a {@link DeliveryMode}; a later version may have others
 * @param delivers false if it waits for nodes of another mode
 * @param beatAt when it was last heard of
 * @param aliveUntil when it counts as gone, unless it is heard of again
 * @param detail what else it says about itself, for {@link MemberDetail#read}; null if nothing
 */
public record Member(
    String node,
    String mode,
    boolean delivers,
    Instant startedAt,
    Instant beatAt,
    Instant aliveUntil,
    String detail) {

  public Member {
    Objects.requireNonNull(node, "node");
    Objects.requireNonNull(mode, "mode");
    Objects.requireNonNull(startedAt, "startedAt");
    Objects.requireNonNull(beatAt, "beatAt");
    Objects.requireNonNull(aliveUntil, "aliveUntil");
  }

  /**
   * Whether it and the other one deliver at the same time in a mode for one process. A process that
   * died just before the other one started does not count, though it is not forgotten yet.
   */
  public boolean collidesWith(Member other) {
    return !node.equals(other.node)
        && delivers
        && other.delivers
        && mode.equals(other.mode)
        && isForOneProcess()
        && beatAt.isAfter(other.startedAt)
        && other.beatAt.isAfter(startedAt);
  }

  private boolean isForOneProcess() {
    for (DeliveryMode known : DeliveryMode.values()) {
      if (known.name().equals(mode)) {
        return known.isForOneProcess();
      }
    }
    return false;
  }
}
