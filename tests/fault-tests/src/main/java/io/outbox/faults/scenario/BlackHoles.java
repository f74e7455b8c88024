package io.outbox.faults.scenario;

import io.outbox.faults.node.Cluster;
import io.outbox.faults.node.FaultNode;
import io.outbox.testbrokers.TcpProxy;
import io.outbox.testdb.TestDatabase;

/**
 * For longer than a lease nothing of a node reaches the database, and nothing is closed. Afterwards
 * its connections either go on, with what was sent meanwhile, or stay dead without a word.
 */
public final class BlackHoles extends OnOneServer {

  public BlackHoles(TestDatabase kind) {
    super(kind);
  }

  @Override
  public void fault(Cluster cluster, FaultLog log) throws Exception {
    FaultNode node = cluster.any();
    TcpProxy proxy = site.proxy(node.place());
    boolean late = cluster.random().nextBoolean();
    Fault fault = log.begin(late ? "black hole, late" : "black hole, dead", node);
    proxy.freeze();
    try {
      passALease(cluster);
    } finally {
      if (late) {
        proxy.restore();
      } else {
        proxy.restoreForNewConnections();
      }
    }
    fault.end(System.nanoTime());
  }
}
