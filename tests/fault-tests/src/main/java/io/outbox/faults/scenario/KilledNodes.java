package io.outbox.faults.scenario;

import io.outbox.faults.node.Cluster;
import io.outbox.faults.node.FaultNode;
import io.outbox.testdb.TestDatabase;

/** {@code kill -9} of a node, in whose place another one starts. */
public final class KilledNodes extends OnOneServer {

  public KilledNodes(TestDatabase kind) {
    super(kind);
  }

  @Override
  public void fault(Cluster cluster, FaultLog log) throws Exception {
    killOne(cluster, log);
  }

  public static void killOne(Cluster cluster, FaultLog log) throws Exception {
    FaultNode node = cluster.any();
    Fault fault = log.begin("kill", node);
    node.kill();
    fault.end(System.nanoTime());
    cluster.startIn(node.place());
  }
}
