package io.outbox.jdbc.internal.outcome;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.internal.InLists;
import io.outbox.jdbc.internal.StoreContext;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

/** Locks rows by their ids, and then changes those that are as they should be. */
public final class LockedRows {

  private final StoreContext context;
  private final JdbcTemplate jdbc;
  private final String readSql;
  private final String updateSql;

  /** {@code action} completes "could not …". */
  public LockedRows(StoreContext context, String action) {
    this.context = context;
    this.jdbc = context.template(action);
    String table = context.byKey();
    this.readSql = "SELECT %s FROM %s WHERE event_id IN ".formatted(RowState.COLUMNS, table);
    this.updateSql = "UPDATE " + table + " SET %s WHERE event_id IN ";
  }

  /** Without those that others have locked. */
  private List<RowState> lock(Connection conn, Collection<String> ids) throws SQLException {
    context.locks.lock(jdbc, conn, context.table, ids);
    return select(conn, ids, " ORDER BY event_id" + context.locks.clause(conn));
  }

  /**
   * Locks rows and changes those that are as they should be, in one transaction.
   *
   * @param action completes "could not …"
   * @param write makes the change
   * @return the ids of those that were changed
   */
  public Set<String> change(
      String action,
      Connection conn,
      Collection<String> ids,
      Predicate<RowState> isOpen,
      BiConsumer<Connection, List<String>> write) {
    return context.atomically(
        action,
        conn,
        c -> {
          Set<String> changed = new HashSet<>();
          for (List<String> some : InLists.chunks(new TreeSet<>(ids))) {
            List<String> matching =
                lock(c, some).stream().filter(isOpen).map(RowState::eventId).toList();
            write.accept(c, matching);
            changed.addAll(matching);
          }
          return changed;
        });
  }

  /** Without locking. */
  public List<RowState> read(Connection conn, Collection<String> ids) {
    return select(conn, ids, "");
  }

  private List<RowState> select(Connection conn, Collection<String> ids, String end) {
    return InLists.query(jdbc, conn, readSql, ids, end, row -> RowState.read(context.product, row));
  }

  public void update(Connection conn, String assignments, List<Object> params, List<String> ids) {
    InLists.update(jdbc, conn, updateSql.formatted(assignments), params, ids);
  }

  public void delete(Connection conn, List<String> ids) {
    InLists.delete(jdbc, conn, context.locks, context.table, ids);
  }
}
