package io.outbox.testbrokers;

import io.outbox.AsyncEventListener;
import io.outbox.EventEnvelope;
import java.util.List;

/**
 * A publisher with plain headers and default settings, a proxy through which alone it reaches its
 * broker, and a destination there that nobody else uses.
 */
public interface PublisherFixture extends AutoCloseable {

  AsyncEventListener publisher();

  TcpProxy proxy();

  /**
   * What has arrived since the last call, in the order of the broker; waits for it no longer than a
   * second, and not through the proxy. Called by one thread.
   */
  List<ReceivedMessage> receive() throws Exception;

  /** An event that the broker, or the publisher on its behalf, rejects for good. */
  EventEnvelope rejected();

  /** Whether messages carry the partition key. */
  default boolean carriesKeys() {
    return false;
  }

  /** Closes the publisher and all else; the destination may stay. */
  @Override
  void close();
}
