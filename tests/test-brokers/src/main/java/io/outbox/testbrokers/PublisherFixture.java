package io.outbox.testbrokers;

import io.outbox.AsyncEventListener;
import io.outbox.EventEnvelope;
import java.util.List;

/**
 * A publisher with plain headers and default settings, a proxy through which alone it reaches its
 * broker, and a destination there that nobody else uses.
 */
public interface PublisherFixture extends AutoCloseable {

  /** The type of events that go to a destination that is not there. */
  String NOWHERE = "Nowhere";

  /** The destination of events of type {@link #NOWHERE}. */
  interface Missing {

    /** From now on it is there, and takes events. */
    void create() throws Exception;

    /** How many events it has got. */
    long arrived() throws Exception;
  }

  AsyncEventListener publisher();

  TcpProxy proxy();

  /**
   * What has arrived since the last call, in the order of the broker; waits for it no longer than a
   * second, and not through the proxy. Called by one thread.
   */
  List<ReceivedMessage> receive() throws Exception;

  /** An event that the broker, or the publisher on its behalf, rejects for good. */
  EventEnvelope rejected();

  /** What is missing. */
  Missing missing();

  /** Whether messages carry the partition key. */
  default boolean carriesKeys() {
    return false;
  }

  /** Closes the publisher and all else; the destination may stay. */
  @Override
  void close();
}
