package io.outbox.jdbc.internal.dialect;

import io.outbox.jdbc.spi.Dialect;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Finds a mistake in a dialect when it is first used, not when a statement fails. */
public final class DialectChecks {

  /** A statement with more would be cut; see the inserts. */
  private static final int MOST_ROWS = 128;

  private DialectChecks() {}

  /** {@code columns}: what every table of events has. */
  public static void check(Dialect dialect, String columns) {
    clause(dialect, "limit()", dialect.limit(), 1);
    clause(dialect, "lockRows()", dialect.lockRows(), 0);
    clause(dialect, "fromNoTable()", dialect.fromNoTable(), 0);
    clause(dialect, "currentTime()", dialect.currentTime(), 0);
    clause(dialect, "instantParameter()", dialect.instantParameter(), 1);
    clause(dialect, "jsonParameter()", dialect.jsonParameter(), 1);
    clause(dialect, "textLength(…)", dialect.textLength("payload"), 0);
    clause(dialect, "binaryLength(…)", dialect.binaryLength("payload_bytes"), 0);
    answer(dialect, "toParameter(…)", dialect.toParameter(Instant.EPOCH));
    int rows = dialect.rowsPerInsert();
    require(dialect, rows >= 1 && rows <= MOST_ROWS, "rowsPerInsert() is " + rows);
    columns(dialect, columns);
  }

  private static void clause(Dialect dialect, String method, String sql, int parameters) {
    answer(dialect, method, sql);
    require(dialect, sql.indexOf(';') < 0, method + " has a semicolon: " + sql);
    long found = sql.chars().filter(c -> c == '?').count();
    require(
        dialect,
        found == parameters,
        "%s has %s parameters instead of %s: %s".formatted(method, found, parameters, sql));
  }

  private static void answer(Dialect dialect, String method, Object answer) {
    require(dialect, answer != null, method + " is null");
  }

  private static void columns(Dialect dialect, String columns) {
    String ddl = Objects.requireNonNullElse(dialect.ddl(), "");
    List<String> missing =
        Stream.concat(
                Stream.of("due_at", "leased_at", "finished_at"), Stream.of(columns.split(", ")))
            .filter(column -> !Pattern.compile("\\b" + column + "\\b").matcher(ddl).find())
            .toList();
    require(dialect, missing.isEmpty(), "ddl() has no columns " + missing);
  }

  private static void require(Dialect dialect, boolean right, String problem) {
    if (!right) {
      throw new IllegalArgumentException(
          "the dialect %s is wrong: %s".formatted(dialect.getClass().getName(), problem));
    }
  }
}
