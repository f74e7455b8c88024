package io.outbox.jdbc.internal.operate;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.internal.StoreContext;
import java.sql.Connection;

/**
 * Has PostgreSQL go along an index until it has enough. It would rather read and sort all rows that
 * match where it thinks they are few, and that it often thinks of a table it has not analysed yet.
 * MySQL and MariaDB are told which index to use.
 */
final class IndexPlans {

  private static final String SETTINGS =
      """
      SELECT set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
        set_config('plan_cache_mode', 'force_custom_plan', true), set_config('jit', 'off', true)
      """;

  private final boolean needed;
  private final JdbcTemplate jdbc;

  IndexPlans(StoreContext context) {
    this.needed = context.product == Product.POSTGRESQL;
    this.jdbc = context.template("look at events");
  }

  /** For the rest of the transaction, so that there must be one. */
  void prefer(Connection conn) {
    if (needed) {
      jdbc.query(conn, SETTINGS, row -> row.getString(1));
    }
  }
}
