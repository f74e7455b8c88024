package io.outbox.spring;

/** Why nothing can be written, and what to do about it. */
enum Refusal {
  NO_TRANSACTION(
      "the calling thread is in no Spring transaction: write from a @Transactional method that is"
          + " called through its proxy, or in a TransactionTemplate"),
  NO_SYNCHRONIZATION(
      "there is a transaction, but synchronization is switched off in its transaction manager, so"
          + " the outbox would not learn its end: set it to SYNCHRONIZATION_ALWAYS, the default"),
  OTHER_DATA_SOURCE(
      "the transaction is not one of %s: begin it with the transaction manager of that DataSource,"
          + " as in @Transactional(\"nameOfTheManager\"), or write through the outbox of the"
          + " DataSource that it belongs to. (With JPA, the manager must know the DataSource and"
          + " the dialect expose its connection; JTA is not supported)"),
  READ_ONLY(
      "the transaction is read-only: write in one that is not, as with @Transactional(readOnly ="
          + " false)"),
  COMPLETED(
      "the transaction is over, this is a callback that runs after it: an event written here would"
          + " be neither committed nor rolled back. Write it in a new transaction"
          + " (PROPAGATION_REQUIRES_NEW), or before the commit"),
  PERHAPS_COMPLETED(
      "this seems to be a callback that runs after the commit of its transaction, where an event"
          + " would be neither committed nor rolled back. Write it in a new transaction"
          + " (PROPAGATION_REQUIRES_NEW), or before the commit. If this is a new transaction, let"
          + " the context know of it when it begins: transactionManager.addListener(txContext)"),
  INSIDE_ANOTHER_MANAGER(
      "the innermost transaction belongs to another transaction manager, begun inside that of %s:"
          + " its end says nothing about the event's. Write before it begins or after it has ended,"
          + " or in a new transaction of that DataSource (PROPAGATION_REQUIRES_NEW)"),
  PERHAPS_INSIDE_ANOTHER_MANAGER(
      "transactions of several DataSources are under way, and that of %s may not be the innermost,"
          + " whose end is the one we would be told of. Let the context know when transactions"
          + " begin: transactionManager.addListener(txContext)");

  private final String message;

  Refusal(String message) {
    this.message = message;
  }

  String message(Object dataSource) {
    return message.replace("%s", "the DataSource of this outbox (" + dataSource + ")");
  }
}
