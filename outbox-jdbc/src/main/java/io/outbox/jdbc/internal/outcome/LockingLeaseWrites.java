package io.outbox.jdbc.internal.outcome;

import io.outbox.jdbc.internal.StoreContext;
import io.outbox.model.EventRef;
import io.outbox.spi.Outcome;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

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
    Set<String> left = new HashSet<>(byId.keySet());
    left.removeAll(
        rows.change(
            "write outcomes",
            conn,
            byId.keySet(),
            row -> isOpenTo(row, byId.get(row.eventId())),
            (c, ids) -> writeLocked(c, ids.stream().map(byId::get).toList())));
    return left;
  }

  private static boolean isOpenTo(RowState row, Outcome outcome) {
    return row.isOpenTo(outcome.ref()) && !row.isResultOf(outcome);
  }

  private void writeLocked(Connection conn, List<Outcome> outcomes) {
    outcomes.stream()
        .filter(outcome -> !outcome.deletesRow())
        .collect(Collectors.groupingBy(Outcome::status))
        .forEach((kind, alike) -> statement.write(conn, kind, alike));
    rows.delete(conn, outcomes.stream().filter(Outcome::deletesRow).map(Outcome::eventId).toList());
  }

  @Override
  public Set<String> change(
      Connection conn, Change change, Collection<EventRef> refs, List<Object> params) {
    Map<String, List<EventRef>> byId = new HashMap<>();
    refs.forEach(ref -> byId.computeIfAbsent(ref.eventId(), k -> new ArrayList<>()).add(ref));
    return rows.change(
        "change leases",
        conn,
        byId.keySet(),
        row -> byId.get(row.eventId()).stream().anyMatch(row::isOpenTo),
        (c, ids) -> rows.update(c, change.set(context.waiting.isKept(c)), params, ids));
  }

  @Override
  public List<RowState> read(Connection conn, Collection<String> eventIds) {
    return rows.read(conn, eventIds);
  }
}
