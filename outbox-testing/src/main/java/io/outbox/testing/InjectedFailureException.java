package io.outbox.testing;

/** The exception of an operation that {@link Faults} makes fail. */
public class InjectedFailureException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public InjectedFailureException(String message) {
    super(message);
  }
}
