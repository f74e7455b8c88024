package io.outbox.jdbc.store;

import io.outbox.jdbc.purge.MySqlEventPurger;
import java.sql.Connection;

/** MySQL and MariaDB count what a session reads. */
abstract class MySqlFamilyPollCostContract extends PollCostContract {

  MySqlFamilyPollCostContract(Target target, int many) {
    super(target, new MySqlEventPurger(), many);
  }

  @Override
  long rowsRead(Connection conn) {
    return rowsReadBy(conn);
  }

  /** How many rows and index entries a connection has read; to be compared. */
  static long rowsReadBy(Connection conn) {
    return JDBC
        .query(
            conn,
            """
            SHOW SESSION STATUS WHERE variable_name LIKE 'Handler_read%'
              OR variable_name = 'Handler_icp_attempts'
            """,
            row -> row.getLong(2))
        .stream()
        .mapToLong(Long::longValue)
        .sum();
  }

  @Override
  String numbers() {
    return numbers(many);
  }

  /** A cross product of six digits. */
  static String numbers(int many) {
    String digits =
        "(SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4"
            + " UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8"
            + " UNION ALL SELECT 9)";
    return ("(SELECT 1 + a.d + 10 * b.d + 100 * c.d + 1000 * e.d + 10000 * f.d + 100000 * g.d AS n"
            + " FROM %1$s a, %1$s b, %1$s c, %1$s e, %1$s f, %1$s g LIMIT %2$s) numbers")
        .formatted(digits, many);
  }

  @Override
  void takeStatistics(Connection conn) {
    JDBC.query(conn, "ANALYZE TABLE outbox_event", row -> row.getString(1));
  }

  @Override
  void takeStatisticsByHandOnly(Connection conn) {
    JDBC.update(conn, "ALTER TABLE outbox_event STATS_AUTO_RECALC = 0");
  }
}
