package io.outbox.testing;

/** What an operation throws that was told to fail by {@link Faults}. */
public class InjectedFailureException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public InjectedFailureException(String message) {
    super(message);
  }
}
