package io.outbox.faults;

import io.outbox.testdb.TestDatabase;

/** {@code kill -9} of a node, in whose place another one starts. */
final class KilledNodes extends OnOneServer {

  KilledNodes(TestDatabase kind) {
    super(kind);
  }

  @Override
  public void fault(Cluster cluster, FaultLog log) throws Exception {
    killOne(cluster, log);
  }

  static void killOne(Cluster cluster, FaultLog log) throws Exception {
    FaultNode node = cluster.any();
    Fault fault = log.begin("kill", node);
    node.kill();
    fault.end(System.nanoTime());
    cluster.startIn(node.place());
  }
}
