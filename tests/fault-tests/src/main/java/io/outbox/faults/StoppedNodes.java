package io.outbox.faults;

import io.outbox.testdb.TestDatabase;

/** SIGSTOP of a node for longer than its lease, as a long pause of a virtual machine. */
final class StoppedNodes extends OnOneServer {

  StoppedNodes(TestDatabase kind) {
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
