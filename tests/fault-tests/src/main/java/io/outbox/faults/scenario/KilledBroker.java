package io.outbox.faults.scenario;

import io.outbox.faults.node.Cluster;
import io.outbox.faults.node.NodeSettings;
import io.outbox.faults.proof.Proof;
import io.outbox.faults.server.Broker;
import io.outbox.testdb.TestDatabase;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/** Nodes publish to a broker that is killed in the middle, and started again. */
public final class KilledBroker extends OnOneServer {

  private static final Duration LONG = Duration.ofSeconds(3);

  private final Broker broker;

  public KilledBroker(Broker broker) {
    super(TestDatabase.POSTGRES);
    this.broker = broker;
  }

  @Override
  public NodeSettings settings(NodeSettings defaults, int place) {
    return broker.settings(super.settings(defaults, place));
  }

  @Override
  public void fault(Cluster cluster, FaultLog log) throws Exception {
    Fault fault = log.begin("kill of the broker");
    broker.kill();
    cluster.passTime(Duration.ZERO, LONG);
    broker.restart();
    fault.end(System.nanoTime());
  }

  @Override
  public List<String> notReceived(Collection<Proof.Row> events) throws Exception {
    Set<String> received = broker.received();
    return events.stream()
        .filter(event -> !received.contains(event.eventId()))
        .map(event -> event + " is not in the broker")
        .toList();
  }

  @Override
  public void close() {
    broker.close();
    super.close();
  }
}
