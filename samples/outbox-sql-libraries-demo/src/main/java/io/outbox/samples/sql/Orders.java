package io.outbox.samples.sql;

/** Places orders and writes their events, with one of the libraries. */
interface Orders {

  /** An order and its event, in one transaction. */
  void place(String id);

  /** The same, but something fails before the commit. */
  void placeAndFail(String id);

  /** An order with a gift; the gift is in a savepoint, and fails. */
  void placeWithoutGift(String id, String gift);

  /** What fails. */
  final class Failure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    Failure() {
      super("fails on purpose");
    }
  }
}
