package io.outbox;

/**
 * A payload or header map cannot be read as the requested type. The event becomes DEAD, because a
 * retry cannot help.
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
