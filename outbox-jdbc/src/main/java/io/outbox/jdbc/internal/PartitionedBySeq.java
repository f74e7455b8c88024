package io.outbox.jdbc.internal;

import io.outbox.jdbc.JdbcTemplate;
import java.sql.Connection;

/** Whether a table on PostgreSQL is in partitions by {@code seq}. Thread-safe. */
public final class PartitionedBySeq {

  private static final String SQL =
      "SELECT 1 FROM pg_partitioned_table WHERE partrelid = to_regclass(?)"
          + " AND pg_get_partkeydef(partrelid) = 'RANGE (seq)'";

  private final String table;
  private final JdbcTemplate jdbc;
  private final Remembered<Boolean> answer = new Remembered<>();

  public PartitionedBySeq(StoreContext context) {
    this.table = context.table.toString();
    this.jdbc = context.template("look at the schema");
  }

  public boolean is(Connection conn) {
    return answer.get(() -> !jdbc.query(conn, SQL, row -> row.getInt(1), table).isEmpty());
  }
}
