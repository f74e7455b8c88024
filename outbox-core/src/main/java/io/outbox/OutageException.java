package io.outbox;

import java.util.Objects;

/**
 * The listener's destination cannot be reached: a broker is down, a connection is cut. No attempt
 * is counted, the event is deferred, and the outbox stops calling this listener until a trial
 * succeeds. Other listeners continue.
 *
 * <p>For one missing destination use {@link #ofDestination}: events of that destination wait, and
 * the listener still gets all others. See {@link io.outbox.publish.Addressed}.
 */
public class OutageException extends RecoverableException {

  private static final long serialVersionUID = 1L;

  private final String destination; // null: all that the listener has

  public OutageException(String message) {
    this(message, null);
  }

  public OutageException(String message, Throwable cause) {
    this(null, message, cause);
  }

  private OutageException(String destination, String message, Throwable cause) {
    super(message, cause);
    this.destination = destination;
  }

  /**
   * One destination is missing or accepts nothing: an exchange, a topic, a queue, a stream.
   *
   * @param destination as {@link io.outbox.publish.Addressed#destinationOf} names it
   * @param cause may be null
   */
  public static OutageException ofDestination(String destination, String message, Throwable cause) {
    return new OutageException(Objects.requireNonNull(destination, "destination"), message, cause);
  }

  /** The destination that is down; null if the whole listener is. */
  public final String destination() {
    return destination;
  }
}
