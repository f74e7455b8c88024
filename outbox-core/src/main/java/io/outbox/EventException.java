package io.outbox;

/** Base of the exceptions with which a listener says how to treat its failure. */
public abstract class EventException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  protected EventException(String message, Throwable cause) {
    super(message, cause);
  }
}
