package io.outbox.spi.lanes;

import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * Lanes that the database has given to a node, or has renewed for it, all at the same time.
 *
 * @param stamp names this grant. A lane is returned under the stamp of its last grant, so that a
 *     late request cannot return a lane that was granted again
 * @param abandoned the {@code lanes} that their owner did not return: one of its events may have
 *     killed it
 */
public record LaneGrant(long stamp, List<Lane> lanes, Set<Lane> abandoned) {

  public LaneGrant {
    lanes = List.copyOf(Objects.requireNonNull(lanes, "lanes"));
    abandoned = Set.copyOf(Objects.requireNonNull(abandoned, "abandoned"));
  }

  public LaneGrant(long stamp, List<Lane> lanes) {
    this(stamp, lanes, Set.of());
  }
}
