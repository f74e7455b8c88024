package io.outbox.faults.scenario;

import io.outbox.faults.node.Cluster;
import io.outbox.faults.node.Mode;
import io.outbox.faults.node.NodeSettings;
import io.outbox.faults.proof.Proof;
import java.util.Collection;
import java.util.List;
import javax.sql.DataSource;

/** Servers for some nodes, and a fault to do to either. Used by one thread. */
public interface Scenario extends AutoCloseable {

  /** Reaches the database whatever is done to the nodes. */
  DataSource database();

  /** Where and how the node in this place runs. */
  NodeSettings settings(NodeSettings defaults, int place);

  /** Whether the order of each key is to be proven in {@link Mode#ORDERED_BY_KEY}. */
  default boolean keepsOrder() {
    return true;
  }

  /** Does one fault, from its begin to its end, and writes it down. */
  void fault(Cluster cluster, FaultLog log) throws Exception;

  /** Events that are not where they should be beside the table, at a broker for example. */
  default List<String> notReceived(Collection<Proof.Row> events) throws Exception {
    return List.of();
  }

  @Override
  void close();
}
