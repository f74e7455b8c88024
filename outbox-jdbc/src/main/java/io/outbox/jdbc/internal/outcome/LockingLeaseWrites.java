package io.outbox.jdbc.internal.outcome;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.internal.InLists;
import io.outbox.jdbc.internal.StoreContext;
import io.outbox.model.EventRef;
import io.outbox.model.EventStatus;
import io.outbox.model.Outcome;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** For databases without RETURNING: locks the rows, looks at them, then writes by primary key. */
public final class LockingLeaseWrites implements LeaseWrites {

  private final StoreContext context;
  private final OutcomeStatement statement;
  private final JdbcTemplate jdbc;
  private final String readSql;

  public LockingLeaseWrites(StoreContext context, OutcomeStatement statement) {
    this.context = context;
    this.statement = statement;
    this.jdbc = context.template("change leases");
    this.readSql =
        "SELECT %s FROM %s%s WHERE event_id IN "
            .formatted(RowState.COLUMNS, context.table, context.locks.forceIndex("PRIMARY"));
  }

  @Override
  public Set<String> write(Connection conn, List<Outcome> outcomes) {
    Map<String, Outcome> byId = new HashMap<>();
    outcomes.forEach(outcome -> byId.put(outcome.eventId(), outcome));
    return context.atomically(
        "write outcomes",
        conn,
        c -> {
          Set<String> written = new HashSet<>();
          for (List<String> ids : InLists.chunks(new TreeSet<>(byId.keySet()))) {
            Map<EventStatus, List<Outcome>> byKind = new EnumMap<>(EventStatus.class);
            List<String> toDelete = new ArrayList<>();
            for (RowState row : lock(c, ids)) {
              Outcome outcome = byId.get(row.eventId());
              if (row.isOpenTo(outcome.ref()) && !row.isResultOf(outcome)) {
                if (outcome.deletesRow()) {
                  toDelete.add(row.eventId());
                } else {
                  byKind.computeIfAbsent(outcome.status(), k -> new ArrayList<>()).add(outcome);
                }
                written.add(row.eventId());
              }
            }
            byKind.forEach((kind, matching) -> statement.write(c, kind, matching));
            delete(c, toDelete);
          }
          return written;
        });
  }

  @Override
  public Set<String> change(
      Connection conn, Change change, Collection<EventRef> refs, List<Object> params) {
    Map<String, List<EventRef>> byId = new HashMap<>();
    refs.forEach(ref -> byId.computeIfAbsent(ref.eventId(), k -> new ArrayList<>()).add(ref));
    return context.atomically(
        "change leases",
        conn,
        c -> {
          Set<String> changed = new HashSet<>();
          for (List<String> ids : InLists.chunks(new TreeSet<>(byId.keySet()))) {
            List<String> matching =
                lock(c, ids).stream()
                    .filter(row -> byId.get(row.eventId()).stream().anyMatch(row::isOpenTo))
                    .map(RowState::eventId)
                    .toList();
            update(c, change, matching, params);
            changed.addAll(matching);
          }
          return changed;
        });
  }

  private void delete(Connection conn, List<String> ids) {
    if (!ids.isEmpty()) {
      List<String> padded = InLists.padded(ids);
      jdbc.update(conn, context.locks.deleteByKey(context.table, padded.size()), padded.toArray());
    }
  }

  private void update(Connection conn, Change change, List<String> ids, List<Object> params) {
    if (ids.isEmpty()) {
      return;
    }
    List<String> padded = InLists.padded(ids);
    String sql =
        "UPDATE %s%s SET %s WHERE event_id IN %s"
            .formatted(
                context.table,
                context.locks.forceIndex("PRIMARY"),
                change.set(context.waiting.isKept(conn)),
                InLists.placeholders(padded.size()));
    jdbc.update(conn, sql, InLists.params(params, padded));
  }

  private List<RowState> lock(Connection conn, List<String> ids) throws SQLException {
    return select(conn, ids, " ORDER BY event_id" + context.locks.clause(conn));
  }

  @Override
  public List<RowState> read(Connection conn, Collection<String> eventIds) {
    List<RowState> rows = new ArrayList<>();
    InLists.chunks(eventIds).forEach(ids -> rows.addAll(select(conn, ids, "")));
    return rows;
  }

  private List<RowState> select(Connection conn, List<String> ids, String end) {
    List<String> padded = InLists.padded(ids);
    return jdbc.query(
        conn,
        readSql + InLists.placeholders(padded.size()) + end,
        row -> RowState.read(context.product, row),
        padded.toArray());
  }
}
