package io.outbox.inbox;

/**
 * The database of the inbox refused or could not do something; says what was attempted. The event
 * does not count as processed and has to be delivered again; only after a commit whose outcome is
 * unknown it may count, and the next delivery finds out.
 */
public class InboxException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public InboxException(String message) {
    super(message);
  }

  public InboxException(String message, Throwable cause) {
    super(message, cause);
  }
}
