package io.outbox.inbox;

/**
 * The inbox database failed; the message says what was attempted. The event does not count as
 * processed: deliver it again. After a commit with an unknown outcome it may have been processed,
 * and the next delivery finds out.
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
