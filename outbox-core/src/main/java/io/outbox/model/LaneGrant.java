package io.outbox.model;

import java.util.List;

/**
 * Lanes that the database has given to a node, or has renewed for it, all at the same time.
 *
 * @param stamp names this grant. A lane is given back under the stamp of its last grant, so that a
 *     request that was long on its way cannot give back what has been granted since
 */
public record LaneGrant(long stamp, List<Lane> lanes) {

  public LaneGrant {
    lanes = List.copyOf(lanes);
  }
}
