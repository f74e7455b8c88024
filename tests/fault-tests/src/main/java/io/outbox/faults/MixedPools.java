package io.outbox.faults;

import io.outbox.testdb.TestDatabase;

/** Each node has a pool with other habits; now and then one is killed. */
final class MixedPools extends OnOneServer {

  MixedPools(TestDatabase kind) {
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
