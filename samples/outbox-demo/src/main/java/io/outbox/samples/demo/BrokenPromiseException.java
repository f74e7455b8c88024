package io.outbox.samples.demo;

/** Something did not happen as told. */
final class BrokenPromiseException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  BrokenPromiseException(String message) {
    super(message);
  }
}
