package io.outbox;

/** A failure that may pass: the event is retried until its attempts are used up. */
public class RecoverableException extends EventException {

  private static final long serialVersionUID = 1L;

  public RecoverableException(String message) {
    super(message, null);
  }

  public RecoverableException(Throwable cause) {
    super(cause == null ? null : cause.toString(), cause);
  }

  public RecoverableException(String message, Throwable cause) {
    super(message, cause);
  }
}
