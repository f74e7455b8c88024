package io.outbox.faults.scenario;

import io.outbox.faults.node.Cluster;
import io.outbox.faults.node.FaultNode;
import io.outbox.faults.node.Mode;
import io.outbox.faults.node.NodeSettings;
import io.outbox.testdb.TestDatabase;

/**
 * A rolling deployment to the other mode: one node after the other closes, and one of the other
 * mode starts in its place. Nothing may be delivered twice, though nobody was killed.
 */
public final class RollingModes extends OnOneServer {

  private Mode mode; // of the nodes that start

  public RollingModes(TestDatabase kind) {
    super(kind);
  }

  @Override
  public boolean keepsOrder() {
    return false; // half of the time nobody asks for it
  }

  @Override
  public NodeSettings settings(NodeSettings defaults, int place) {
    NodeSettings settings = super.settings(defaults, place);
    return mode == null ? settings : settings.with("mode", mode);
  }

  @Override
  public void fault(Cluster cluster, FaultLog log) throws Exception {
    Mode before = mode == null ? cluster.mode() : mode;
    mode = before == Mode.MULTI_NODE ? Mode.ORDERED_BY_KEY : Mode.MULTI_NODE;
    Fault fault = log.condition("deployment to " + mode);
    for (FaultNode node : cluster.running()) {
      node.end();
      cluster.startIn(node.place()).awaitWork();
    }
    fault.end(System.nanoTime());
  }
}
