package io.outbox.faults.scenario;

import io.outbox.faults.node.Cluster;
import io.outbox.testdb.TestDatabase;

/** The database refuses every write for longer than a lease, as one whose disk is full does. */
public final class ReadOnlyDatabase extends OnOneServer {

  public ReadOnlyDatabase(TestDatabase kind) {
    super(kind);
  }

  @Override
  public void fault(Cluster cluster, FaultLog log) throws Exception {
    Fault fault = log.begin("read-only");
    refuseWrites(true);
    try {
      passALease(cluster);
    } finally {
      refuseWrites(false);
    }
    fault.end(System.nanoTime());
  }

  private void refuseWrites(boolean refuse) {
    site.server()
        .execute("ALTER SYSTEM SET default_transaction_read_only = " + (refuse ? "on" : "off"));
    site.server().execute("SELECT pg_reload_conf()");
  }
}
