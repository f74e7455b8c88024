package io.outbox.jdbc;

/** The database refused or could not do something; says what was attempted and on which table. */
public class OutboxStoreException extends RuntimeException {

  public OutboxStoreException(String message) {
    super(message);
  }

  public OutboxStoreException(String message, Throwable cause) {
    super(message, cause);
  }
}
