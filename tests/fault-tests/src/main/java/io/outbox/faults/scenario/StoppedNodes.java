package io.outbox.faults.scenario;

import io.outbox.faults.node.Cluster;
import io.outbox.faults.node.FaultNode;
import io.outbox.testdb.TestDatabase;

/** SIGSTOP of a node for longer than its lease, as a long pause of a virtual machine. */
public final class StoppedNodes extends OnOneServer {

  public StoppedNodes(TestDatabase kind) {
    super(kind);
  }

  @Override
  public void fault(Cluster cluster, FaultLog log) throws Exception {
    FaultNode node = cluster.any();
    Fault fault = log.begin("stop", node);
    node.pause();
    try {
      passALease(cluster);
    } finally {
      node.resume();
    }
    fault.end(System.nanoTime());
  }
}
