package io.outbox.spi.lanes;

import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * Lanes that the database has given to a node, or has renewed for it, all at the same time.
 *
 * @param stamp names this grant. A lane is given back under the stamp of its last grant, so that a
 *     request that was long on its way cannot give back what has been granted since
 * @param abandoned those of {@code lanes} whose owner did not give them back: it may have died of
 *     what it delivered
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
