package io.outbox.micronaut;

/** Why nothing can be written, and what to do about it. */
enum Refusal {
  NO_TRANSACTION(
      "the calling thread is in no transaction of the DataSource of this outbox: write from a"
          + " @Transactional method of a bean, called from another bean, or in"
          + " TransactionOperations.executeWrite. With several DataSources name the one of the"
          + " outbox, as in @Transactional(\"orders\")"),
  SUSPENDED(
      "the connection of the calling method is in no transaction, which was suspended or never"
          + " begun (NOT_SUPPORTED, SUPPORTS or NEVER). Micronaut begins none for a REQUIRED method"
          + " called from there either: use REQUIRES_NEW"),
  READ_ONLY(
      "the transaction is read-only: write in one that is not, as with @Transactional(readOnly ="
          + " false)"),
  BROKEN(
      "the connection of the transaction cannot be used any more, perhaps the database has closed"
          + " it: let the transaction fail, and write in a new one"),
  ENDED(
      "the transaction has ended, or this is a callback that runs after it: write before the"
          + " commit, or in a new transaction (REQUIRES_NEW)");

  private final String message;

  Refusal(String message) {
    this.message = message;
  }

  String message() {
    return message;
  }
}
