package io.outbox.jdbc.internal.count;

import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.internal.StoreContext;
import io.outbox.jdbc.internal.WaitingMark;
import java.util.Collections;
import java.util.List;

/**
 * An expression for when the oldest undelivered event was first due: the first of those that are
 * due or will be, the first of those that were tried or deferred, and among the oldest leases. A
 * lease that is renewed marks its event as waiting, so that the oldest leases are enough.
 */
final class OldestSql {

  /** How many leases are looked at, and how many marks that a node of an earlier version left. */
  private static final int FEW = 100;

  private final StoreContext context;
  private final String marked;
  private final String unmarked;

  OldestSql(StoreContext context) {
    this.context = context;
    boolean partial = context.product == Product.POSTGRESQL;
    String dueAndLeased = partial ? partialDueAndLeased() : dueAndLeased();
    String waiting = " UNION ALL (" + (partial ? partialWaiting() : waiting()) + ")";
    this.unmarked = "(SELECT MIN(oldest_at) FROM (" + dueAndLeased + ") oldest)";
    this.marked = "(SELECT MIN(oldest_at) FROM (" + dueAndLeased + waiting + ") oldest)";
  }

  private String partialDueAndLeased() {
    return """
    (SELECT available_at AS oldest_at FROM %1$s WHERE status IN (0, 2) AND locked_by IS NULL
      ORDER BY available_at, seq LIMIT 1)
    UNION ALL
    (SELECT MIN(available_at) FROM (
      SELECT available_at FROM %1$s WHERE status IN (0, 2) AND locked_by IS NOT NULL
      ORDER BY locked_at, seq LIMIT %2$s) held)\
    """
        .formatted(context.table, FEW);
  }

  private String partialWaiting() {
    return """
    SELECT waiting_since FROM %s WHERE status IN (0, 2) AND waiting_since IS NOT NULL
    ORDER BY waiting_since LIMIT 1\
    """
        .formatted(context.table);
  }

  private String dueAndLeased() {
    return """
    (SELECT due_at AS oldest_at FROM %s WHERE due_at >= ? ORDER BY due_at%s)
    UNION ALL
    (SELECT MIN(available_at) FROM (
      SELECT available_at FROM %s WHERE leased_at >= ? ORDER BY leased_at%s) held)\
    """
        .formatted(
            context.along("due"),
            context.product.limit(1),
            context.along("leased"),
            context.product.limit(FEW));
  }

  /** A node of an earlier version leaves the mark on what it delivers. */
  private String waiting() {
    return """
    SELECT MIN(CASE WHEN status IN (0, 2) THEN waiting_since END) FROM (
      SELECT status, waiting_since FROM %s WHERE waiting_since >= ?
      ORDER BY waiting_since%s) waits\
    """
        .formatted(context.along("waiting"), context.product.limit(FEW));
  }

  /** {@code waiting}: whether the table has the column; see {@link WaitingMark}. */
  String text(boolean waiting) {
    return waiting ? marked : unmarked;
  }

  /** What to bind for it. */
  List<Object> params(boolean waiting) {
    return context.product == Product.POSTGRESQL
        ? List.of()
        : Collections.nCopies(waiting ? 3 : 2, context.product.beginningOfTime());
  }
}
