package io.outbox.faults.scenario;

import io.outbox.faults.node.Cluster;
import io.outbox.faults.node.NodeSettings;
import io.outbox.faults.server.ProxiedDatabase;
import io.outbox.testdb.TestDatabase;
import java.time.Duration;
import javax.sql.DataSource;

/** A scenario with one server, and a proxy before it for each node. */
public abstract class OnOneServer implements Scenario {

  final ProxiedDatabase site;

  public OnOneServer(TestDatabase kind) {
    this(new ProxiedDatabase(kind));
  }

  public OnOneServer(ProxiedDatabase site) {
    this.site = site;
  }

  @Override
  public DataSource database() {
    return site.dataSource();
  }

  @Override
  public NodeSettings settings(NodeSettings defaults, int place) {
    return site.settings(defaults, place);
  }

  @Override
  public void close() {
    site.close();
  }

  /** Longer than a lease, so that others take over. */
  public static void passALease(Cluster cluster) throws InterruptedException {
    cluster.passTime(
        NodeSettings.LEASE.plus(Duration.ofMillis(500)), NodeSettings.LEASE.multipliedBy(2));
  }
}
