package io.outbox;

/**
 * A payload or header map that cannot be read as what was asked for; trying again will not help.
 */
public class PayloadParseException extends UnrecoverableException {

  private static final long serialVersionUID = 1L;

  public PayloadParseException(String message) {
    super(message);
  }

  public PayloadParseException(String message, Throwable cause) {
    super(message, cause);
  }
}
