package io.outbox;

/** A permanent failure: the event becomes DEAD at once. */
public class UnrecoverableException extends EventException {

  private static final long serialVersionUID = 1L;

  public UnrecoverableException(String message) {
    super(message, null);
  }

  public UnrecoverableException(Throwable cause) {
    super(cause == null ? null : cause.toString(), cause);
  }

  public UnrecoverableException(String message, Throwable cause) {
    super(message, cause);
  }
}
