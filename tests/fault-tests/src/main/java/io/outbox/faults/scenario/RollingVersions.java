package io.outbox.faults.scenario;

import io.outbox.faults.node.Cluster;
import io.outbox.faults.node.FaultNode;
import io.outbox.faults.node.NodeSettings;
import io.outbox.it.ChildJvm;
import io.outbox.testdb.TestDatabase;
import java.nio.file.Path;

/**
 * A rolling deployment from an earlier version to this one, and back: one node after the other
 * closes, and one of the other version starts in its place. Nobody is killed, so nothing may be
 * delivered twice.
 */
public final class RollingVersions extends OnOneServer {

  private final String earlierClasses;
  private boolean earlier = true; // the nodes that start

  public RollingVersions(TestDatabase kind, Path previous) {
    super(kind);
    this.earlierClasses = ChildJvm.classPathWith(previous);
  }

  @Override
  public NodeSettings settings(NodeSettings defaults, int place) {
    // The types that tell epochs were elsewhere once. Nothing is taken over here.
    NodeSettings settings = super.settings(defaults, place).with("epochs", false);
    return earlier ? settings.withVariable("CLASSPATH", earlierClasses) : settings;
  }

  @Override
  public void fault(Cluster cluster, FaultLog log) throws Exception {
    earlier = !earlier;
    Fault fault = log.condition("deployment of the " + (earlier ? "earlier" : "new") + " version");
    for (FaultNode node : cluster.running()) {
      node.end();
      cluster.startIn(node.place()).awaitWork();
    }
    fault.end(System.nanoTime());
  }
}
