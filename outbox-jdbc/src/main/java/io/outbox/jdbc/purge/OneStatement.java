package io.outbox.jdbc.purge;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.internal.StoreErrors;
import io.outbox.jdbc.internal.TableName;
import java.sql.Connection;
import java.time.Instant;

/**
 * For PostgreSQL. The rows are locked, yet judged once more as they are deleted, in words that no
 * index serves: the planner is to find them by their keys.
 */
final class OneStatement implements PurgeSql {

  private final JdbcTemplate jdbc;
  private final String sql;

  OneStatement(TableName table, String condition, String order) {
    this.jdbc = new StoreErrors(Product.POSTGRESQL, table).template("purge events");
    this.sql =
        """
        WITH doomed AS MATERIALIZED (
          SELECT event_id FROM %1$s WHERE %2$s
          ORDER BY %3$s LIMIT ? FOR UPDATE SKIP LOCKED)
        DELETE FROM %1$s
        WHERE event_id IN (SELECT event_id FROM doomed) AND (%2$s) IS TRUE
        """
            .formatted(table, condition, order);
  }

  @Override
  public int purge(Connection conn, Instant before, int limit) {
    Object time = Product.POSTGRESQL.parameter(before);
    return jdbc.update(conn, sql, time, limit, time);
  }
}
