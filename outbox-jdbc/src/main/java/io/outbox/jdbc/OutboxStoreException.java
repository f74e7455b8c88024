package io.outbox.jdbc;

/** A database operation failed; the message says what was attempted and on which table. */
public class OutboxStoreException extends RuntimeException {

  public OutboxStoreException(String message) {
    super(message);
  }

  public OutboxStoreException(String message, Throwable cause) {
    super(message, cause);
  }
}
