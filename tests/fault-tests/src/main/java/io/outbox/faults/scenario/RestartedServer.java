package io.outbox.faults.scenario;

import io.outbox.faults.node.Cluster;
import io.outbox.testdb.TestDatabase;
import java.time.Duration;

/** The database server is killed, and started again on its data. */
public final class RestartedServer extends OnOneServer {

  private static final Duration LONG = Duration.ofSeconds(2);

  public RestartedServer(TestDatabase kind) {
    super(kind);
  }

  @Override
  public void fault(Cluster cluster, FaultLog log) throws Exception {
    Fault fault = log.begin("restart");
    site.server().killServer();
    cluster.passTime(Duration.ZERO, LONG);
    site.server().restart();
    fault.end(System.nanoTime());
  }
}
