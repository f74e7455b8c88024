package io.outbox.spi.lanes;

import java.util.Objects;
import java.util.Set;

/**
 * The lanes and nodes after a beat, which has renewed the lanes of the asking node in the same
 * transaction.
 *
 * @param lanes how many lanes there are
 * @param nodes the nodes that are alive, the asking one included
 * @param owned the lanes that the asking node owns
 */
public record LaneView(int lanes, Set<String> nodes, LaneGrant owned) {

  public LaneView {
    nodes = Set.copyOf(Objects.requireNonNull(nodes, "nodes"));
    Objects.requireNonNull(owned, "owned");
  }

  /** How many lanes a node should own; what cannot be divided goes to the first by name. */
  public int share(String node) {
    long before = nodes.stream().filter(other -> other.compareTo(node) < 0).count();
    return lanes / nodes.size() + (before < lanes % nodes.size() ? 1 : 0);
  }
}
