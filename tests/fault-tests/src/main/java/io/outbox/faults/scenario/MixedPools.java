package io.outbox.faults.scenario;

import io.outbox.faults.node.Cluster;
import io.outbox.faults.node.NodeSettings;
import io.outbox.testdb.TestDatabase;

/** Each node has a pool with other habits; now and then one is killed. */
public final class MixedPools extends OnOneServer {

  public MixedPools(TestDatabase kind) {
    super(kind);
  }

  @Override
  public NodeSettings settings(NodeSettings defaults, int place) {
    NodeSettings settings = super.settings(defaults, place);
    return switch (place) {
      case 0 -> settings.with("isolation", "TRANSACTION_SERIALIZABLE");
      case 1 -> settings.with("isolation", "TRANSACTION_REPEATABLE_READ");
      default -> settings.with("autoCommit", false);
    };
  }

  @Override
  public void fault(Cluster cluster, FaultLog log) throws Exception {
    KilledNodes.killOne(cluster, log);
  }
}
