package io.outbox.faults;

import io.outbox.testdb.TestDatabase;
import java.time.Duration;
import javax.sql.DataSource;

/** A scenario with one server, and a proxy before it for each node. */
abstract class OnOneServer implements Scenario {

  final ProxiedDatabase site;

  OnOneServer(TestDatabase kind) {
    this(new ProxiedDatabase(kind));
  }

  OnOneServer(ProxiedDatabase site) {
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
  static void passALease(Cluster cluster) throws InterruptedException {
    cluster.passTime(
        NodeSettings.LEASE.plus(Duration.ofMillis(500)), NodeSettings.LEASE.multipliedBy(2));
  }
}
