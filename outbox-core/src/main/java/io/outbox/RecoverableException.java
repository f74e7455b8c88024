package io.outbox;

/** A temporary failure: the event is retried until {@code maxAttempts}. */
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
