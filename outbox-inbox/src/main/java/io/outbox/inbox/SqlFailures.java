package io.outbox.inbox;

import java.sql.SQLException;
import java.util.Set;

/** Tells what an {@link SQLException} means for the inbox, and says it in words. */
final class SqlFailures {

  private static final int MYSQL_DUPLICATE_ENTRY = 1062;

  /** MySQL's deadlock, MariaDB's "record has changed since last read". */
  private static final Set<Integer> ROLLED_BACK = Set.of(1213, 1020);

  /** MySQL's deadlock, MariaDB's "record has changed since last read", H2's concurrent update. */
  private static final Set<Integer> CONFLICTS = Set.of(1213, 1020, 90131);

  /** MySQL's lock wait timeout and H2's. */
  private static final Set<Integer> LOCK_TIMEOUTS = Set.of(1205, 50200);

  private static final Set<String> SOMETHING_MISSING =
      Set.of("42P01", "42703", "3F000", "42S02", "42S03", "42S04", "42S22", "90079");

  private SqlFailures() {}

  static boolean isDuplicateKey(SQLException e) {
    return "23505".equals(e.getSQLState()) || e.getErrorCode() == MYSQL_DUPLICATE_ENTRY;
  }

  /** Another transaction was in the way and is not any more: trying again at once may do. */
  static boolean isConflict(SQLException e) {
    String state = String.valueOf(e.getSQLState());
    return !isLockTimeout(e) && (state.startsWith("40") || CONFLICTS.contains(e.getErrorCode()));
  }

  /** These errors of MySQL and MariaDB end the whole transaction. */
  static boolean isRolledBack(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLException e && ROLLED_BACK.contains(e.getErrorCode())) {
        return true;
      }
    }
    return false;
  }

  private static boolean isLockTimeout(SQLException e) {
    return "55P03".equals(e.getSQLState()) || LOCK_TIMEOUTS.contains(e.getErrorCode());
  }

  /** {@code action} completes "could not …". */
  static InboxException describe(String action, InboxTable table, SQLException e) {
    return new InboxException(
        "could not " + action + " (inbox table " + table + "): " + reason(table, e), e);
  }

  private static String reason(InboxTable table, SQLException e) {
    String said = said(e) + " (SQLState " + e.getSQLState() + ", code " + e.getErrorCode() + ")";
    if (SOMETHING_MISSING.contains(String.valueOf(e.getSQLState()))) {
      return "the table or a column is missing: "
          + said
          + ". The DDL is in schema/inbox of the outbox-inbox jar; InboxSchema.create(dataSource,"
          + " \""
          + table
          + "\") runs it";
    }
    if (isLockTimeout(e)) {
      return "another transaction held a lock for too long, perhaps for the same event: " + said;
    }
    if (isConflict(e)) {
      return "another transaction interfered: " + said;
    }
    return said;
  }

  /** What the database said, without the statement that H2 repeats. */
  private static String said(SQLException e) {
    String message = String.valueOf(e.getMessage());
    int statement = message.indexOf("; SQL statement:");
    return statement < 0 ? message : message.substring(0, statement);
  }
}
