package io.outbox.faults.scenario;

import io.outbox.faults.node.Cluster;
import io.outbox.faults.node.FaultNode;
import io.outbox.testbrokers.TcpProxy;
import io.outbox.testdb.TestDatabase;
import java.time.Duration;

/** All connections of a node are reset, and for a moment it gets no new ones. */
public final class CutConnections extends OnOneServer {

  private static final Duration SHORT = Duration.ofMillis(50);
  private static final Duration LONG = Duration.ofMillis(1500);

  public CutConnections(TestDatabase kind) {
    super(kind);
  }

  @Override
  public void fault(Cluster cluster, FaultLog log) throws Exception {
    FaultNode node = cluster.any();
    TcpProxy proxy = site.proxy(node.place());
    Fault fault = log.begin("cut", node, proxy.connections());
    proxy.cut();
    try {
      cluster.passTime(SHORT, LONG);
    } finally {
      proxy.restore();
    }
    fault.end(System.nanoTime());
  }
}
