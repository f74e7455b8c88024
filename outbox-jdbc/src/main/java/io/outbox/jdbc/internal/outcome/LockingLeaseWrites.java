package io.outbox.jdbc.internal.outcome;

import io.outbox.jdbc.internal.InLists;
import io.outbox.jdbc.internal.StoreContext;
import io.outbox.model.EventRef;
import io.outbox.model.EventStatus;
import io.outbox.spi.Outcome;
import java.sql.Connection;
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
  private final LockedRows rows;

  public LockingLeaseWrites(StoreContext context, OutcomeStatement statement) {
    this.context = context;
    this.statement = statement;
    this.rows = new LockedRows(context, "change leases");
  }

  @Override
  public Set<String> write(Connection conn, List<Outcome> outcomes) {
    Map<String, Outcome> byId = new HashMap<>();
    outcomes.forEach(outcome -> byId.put(outcome.eventId(), outcome));
    return context.atomically(
        "write outcomes",
        conn,
        c -> {
          Set<String> left = new HashSet<>(byId.keySet());
          for (List<String> ids : InLists.chunks(new TreeSet<>(byId.keySet()))) {
            Map<EventStatus, List<Outcome>> byKind = new EnumMap<>(EventStatus.class);
            List<String> toDelete = new ArrayList<>();
            for (RowState row : rows.lock(c, ids)) {
              Outcome outcome = byId.get(row.eventId());
              if (row.isOpenTo(outcome.ref()) && !row.isResultOf(outcome)) {
                if (outcome.deletesRow()) {
                  toDelete.add(row.eventId());
                } else {
                  byKind.computeIfAbsent(outcome.status(), k -> new ArrayList<>()).add(outcome);
                }
                left.remove(row.eventId());
              }
            }
            byKind.forEach((kind, matching) -> statement.write(c, kind, matching));
            rows.delete(c, toDelete);
          }
          return left;
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
                rows.lock(c, ids).stream()
                    .filter(row -> byId.get(row.eventId()).stream().anyMatch(row::isOpenTo))
                    .map(RowState::eventId)
                    .toList();
            rows.update(c, change.set(context.waiting.isKept(c)), params, matching);
            changed.addAll(matching);
          }
          return changed;
        });
  }

  @Override
  public List<RowState> read(Connection conn, Collection<String> eventIds) {
    return rows.read(conn, eventIds);
  }
}
