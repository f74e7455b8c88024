package io.outbox;

/** Base of the exceptions by which a listener says how its failure is to be treated. */
public abstract class EventException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  protected EventException(String message, Throwable cause) {
    super(message, cause);
  }
}
