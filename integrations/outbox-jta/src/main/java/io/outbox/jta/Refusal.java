package io.outbox.jta;

import jakarta.transaction.Status;

/** Why nothing can be written, and what to do about it. */
enum Refusal {
  NO_TRANSACTION(
      "the calling thread is in no JTA transaction: begin one, or write from a @Transactional"
          + " method that is called through its proxy. Resume a suspended transaction first"),
  ROLLBACK_ONLY(
      "the transaction is marked rollback-only and can no longer commit an event: roll it back,"
          + " and write in a new one"),
  ENDED(
      "the transaction has ended or is ending, perhaps by its timeout, or this is a callback that"
          + " runs after it: write before the commit, or in a new transaction");

  private final String message;

  Refusal(String message) {
    this.message = message;
  }

  String message() {
    return message;
  }

  /** Null if a transaction of this status takes events. */
  static Refusal of(int status) {
    return switch (status) {
      case Status.STATUS_ACTIVE -> null;
      case Status.STATUS_NO_TRANSACTION -> NO_TRANSACTION;
      case Status.STATUS_MARKED_ROLLBACK -> ROLLBACK_ONLY;
      default -> ENDED;
    };
  }
}
