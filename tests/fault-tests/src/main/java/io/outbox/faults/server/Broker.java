package io.outbox.faults.server;

import io.outbox.faults.node.NodeSettings;
import java.util.Set;

/** A broker of our own, in a process that can be killed. */
public interface Broker extends AutoCloseable {

  /** Tells a node to publish to it. */
  NodeSettings settings(NodeSettings node);

  void kill() throws Exception;

  /** Starts it again on what it has kept, and returns when it answers. */
  void restart() throws Exception;

  /** The events of all messages that it has. */
  Set<String> received() throws Exception;

  @Override
  void close();
}
