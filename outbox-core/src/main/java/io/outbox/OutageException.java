package io.outbox;

/**
 * The listener's destination cannot be reached, whatever the event: a broker is down, a connection
 * is cut. It is not the event's fault: no attempt is counted, the event is deferred, and the outbox
 * stops calling this listener until a trial succeeds. Other listeners go on.
 */
public class OutageException extends RecoverableException {

  private static final long serialVersionUID = 1L;

  public OutageException(String message) {
    super(message);
  }

  public OutageException(String message, Throwable cause) {
    super(message, cause);
  }
}
