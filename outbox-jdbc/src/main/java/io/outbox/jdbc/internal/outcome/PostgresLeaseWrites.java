package io.outbox.jdbc.internal.outcome;

import static java.util.Comparator.naturalOrder;

import io.outbox.jdbc.internal.PostgresArrays;
import io.outbox.jdbc.internal.PostgresPlans;
import io.outbox.jdbc.internal.StoreContext;
import io.outbox.model.EventRef;
import io.outbox.model.EventStatus;
import io.outbox.spi.Outcome;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** One statement locks, changes and says what it changed, for any number of events. */
public final class PostgresLeaseWrites implements LeaseWrites {

  /** Of {@code w}, the wanted, and {@code e}, the event; -1 is {@link EventRef#ANY_LEASE}. */
  private static final String OPEN =
      "e.status IN (0, 2) AND (w.lease_no = -1 OR e.lease_no = w.lease_no)"
          + " AND (w.owner IS NULL OR e.locked_by = w.owner)";

  /** Whether a pending event is as an outcome left it; see {@link RowState#isResultOf}. */
  private static final String THERE =
      "e.status = w.status AND e.attempts = w.attempts AND e.available_at = w.at"
          + " AND e.locked_by IS NULL";

  /**
   * Where the rows are that some references are open to, locked. One that was changed meanwhile has
   * moved to a place that the statement does not see yet, and is passed over like a locked one.
   */
  private static final String PLACES =
      """
      WITH locked AS MATERIALIZED (
        SELECT e.ctid AS place, e.tableoid AS part
        FROM (
          SELECT event_id, lease_no, (?::text[])[owner_no] AS owner
          FROM unnest(?::text[], ?::bigint[], ?::int[]) AS r(event_id, lease_no, owner_no)) w
        JOIN %1$s e ON e.event_id = w.event_id
        WHERE %2$s
        FOR UPDATE OF e SKIP LOCKED)
      """;

  private static final String AT_PLACE = "WHERE e.ctid = l.place AND e.tableoid = l.part";

  /**
   * Changes what is locked and says which those were, or a single null if they are as many as were
   * asked for: nearly always, and then the identifiers need not be sent.
   */
  private static final String CHANGE =
      """
      , changed AS (%s RETURNING e.event_id)
      SELECT event_id FROM changed WHERE (SELECT count(*) FROM changed) <> ?
      UNION ALL
      SELECT NULL WHERE (SELECT count(*) FROM changed) = ?
      """;

  private final StoreContext context;
  private final PostgresPlans outcomeTemplate;
  private final PostgresPlans leaseTemplate;
  private final String writeSql;
  private final String markingWriteSql;
  private final String doneSql;
  private final String deleteSql;
  private final Map<Change, String> changeSql = new EnumMap<>(Change.class);
  private final Map<Change, String> markingChangeSql = new EnumMap<>(Change.class);
  private final String readSql;

  public PostgresLeaseWrites(StoreContext context) {
    this.context = context;
    this.outcomeTemplate = new PostgresPlans(context, "write outcomes");
    this.leaseTemplate = new PostgresPlans(context, "change leases");
    this.writeSql = writeSql("");
    this.markingWriteSql =
        writeSql(
            "waiting_since = CASE WHEN w.status IN (0, 2)"
                + " THEN COALESCE(e.waiting_since, e.available_at) END,");
    String places = PLACES.formatted(context.table, OPEN);
    String update = "UPDATE " + context.table + " e SET %s FROM locked l " + AT_PLACE;
    this.doneSql =
        places
            + CHANGE.formatted(
                update.formatted(
                    "status = 1, attempts = 0, done_at = ?,"
                        + " locked_by = NULL, locked_at = NULL, claims = 0, starts = 0"));
    this.deleteSql =
        places + CHANGE.formatted("DELETE FROM " + context.table + " e USING locked l " + AT_PLACE);
    for (Change change : Change.values()) {
      changeSql.put(change, places + CHANGE.formatted(update.formatted(change.set(false))));
      markingChangeSql.put(change, places + CHANGE.formatted(update.formatted(change.set(true))));
    }
    this.readSql =
        "SELECT %s FROM %s WHERE event_id = ANY(?)".formatted(RowState.COLUMNS, context.table);
  }

  /** {@code mark} is an assignment more. */
  private String writeSql(String mark) {
    return """
    WITH locked AS MATERIALIZED (
      SELECT w.* FROM (
        SELECT event_id, lease_no, (?::text[])[owner_no] AS owner, status, attempts, at, error
        FROM unnest(?::text[], ?::bigint[], ?::int[], ?::int[], ?::int[], ?::timestamptz[],
            ?::text[])
          AS r(event_id, lease_no, owner_no, status, attempts, at, error)) w
      JOIN %1$s e ON e.event_id = w.event_id
      WHERE %2$s AND NOT (%3$s)
      FOR UPDATE OF e SKIP LOCKED)
    """
            .formatted(context.table, OPEN, THERE)
        + CHANGE.formatted(
            """
                    UPDATE %1$s e SET
              %3$s
              status = w.status,
              attempts = w.attempts,
              available_at = CASE WHEN w.status IN (0, 2) THEN w.at ELSE e.available_at END,
              done_at = CASE WHEN w.status IN (1, 3) THEN w.at END,
              last_error = CASE WHEN w.status IN (2, 3) THEN w.error ELSE e.last_error END,
              locked_by = NULL, locked_at = NULL, claims = 0, starts = 0
            FROM locked w
            WHERE e.event_id = w.event_id AND %2$s
            """
                .formatted(context.table, OPEN, mark));
  }

  /** A statement for each kind of outcome; none waits for a lock. */
  @Override
  public Set<String> write(Connection conn, List<Outcome> outcomes) {
    Map<Kind, List<Outcome>> byKind = outcomes.stream().collect(Collectors.groupingBy(Kind::of));
    Set<String> left = new HashSet<>();
    try {
      for (Map.Entry<Kind, List<Outcome>> kind : byKind.entrySet()) {
        left.addAll(write(conn, kind.getKey(), kind.getValue()));
      }
      return left;
    } catch (SQLException e) {
      throw context.errors.describe("write outcomes", e);
    }
  }

  @Override
  public boolean isOneStatement(List<Outcome> outcomes) {
    return outcomes.size() <= PostgresPlans.FEW
        && outcomes.stream().map(Kind::of).distinct().count() == 1;
  }

  private enum Kind {
    DELETED,
    /** At the first attempt: nearly all, so they have a cheaper statement. */
    DONE_AT_ONCE,
    OTHER;

    static Kind of(Outcome outcome) {
      if (outcome.deletesRow()) {
        return DELETED;
      }
      return outcome.status() == EventStatus.DONE && outcome.attempts() == 0 ? DONE_AT_ONCE : OTHER;
    }
  }

  private Set<String> write(Connection conn, Kind kind, List<Outcome> outcomes)
      throws SQLException {
    List<EventRef> refs = outcomes.stream().map(Outcome::ref).toList();
    List<Object> params = refArrays(conn, refs);
    return switch (kind) {
      case DELETED -> left(outcomeTemplate, conn, deleteSql, refs, params);
      case DONE_AT_ONCE -> {
        Instant latest = outcomes.stream().map(Outcome::at).max(naturalOrder()).orElseThrow();
        params.add(context.time(latest));
        yield left(outcomeTemplate, conn, doneSql, refs, params);
      }
      case OTHER -> {
        params.add(PostgresArrays.ints(conn, outcomes, outcome -> outcome.status().code()));
        params.add(PostgresArrays.ints(conn, outcomes, Outcome::attempts));
        params.add(PostgresArrays.timestamps(conn, outcomes, Outcome::at));
        params.add(PostgresArrays.texts(conn, outcomes, Outcome::error));
        String sql = context.waiting.isKept(conn) ? markingWriteSql : writeSql;
        yield left(outcomeTemplate, conn, sql, refs, params);
      }
    };
  }

  @Override
  public Set<String> change(
      Connection conn, Change change, Collection<EventRef> refs, List<Object> params) {
    try {
      List<Object> all = refArrays(conn, refs);
      all.addAll(params);
      Map<Change, String> sql = context.waiting.isKept(conn) ? markingChangeSql : changeSql;
      Set<String> changed = ids(refs);
      changed.removeAll(left(leaseTemplate, conn, sql.get(change), refs, all));
      return changed;
    } catch (SQLException e) {
      throw context.errors.describe("change leases", e);
    }
  }

  @Override
  public List<RowState> read(Connection conn, Collection<String> eventIds) {
    try {
      return outcomeTemplate.queryAnew(
          conn,
          readSql,
          row -> RowState.read(context.product, row),
          PostgresArrays.texts(conn, eventIds, id -> id));
    } catch (SQLException e) {
      throw context.errors.describe("read events", e);
    }
  }

  /** There are many references and few owners: each is sent once, and referred to by number. */
  private static List<Object> refArrays(Connection conn, Collection<EventRef> refs)
      throws SQLException {
    List<String> owners = refs.stream().map(EventRef::owner).distinct().toList();
    return new ArrayList<>(
        Arrays.asList(
            PostgresArrays.texts(conn, owners, owner -> owner),
            PostgresArrays.texts(conn, refs, EventRef::eventId),
            PostgresArrays.bigints(conn, refs, EventRef::leaseNumber),
            PostgresArrays.ints(conn, refs, ref -> 1 + owners.indexOf(ref.owner()))));
  }

  private static Set<String> ids(Collection<EventRef> refs) {
    return refs.stream().map(EventRef::eventId).collect(Collectors.toSet());
  }

  /** Of those that are as many as were asked for, {@link #CHANGE} says no more. */
  private static Set<String> left(
      PostgresPlans jdbc,
      Connection conn,
      String sql,
      Collection<EventRef> refs,
      List<Object> params) {
    params.add(refs.size());
    params.add(refs.size());
    List<String> ids =
        jdbc.queryAnew(conn, refs.size(), sql, row -> row.getString(1), params.toArray());
    if (ids.size() == 1 && ids.get(0) == null) {
      return Set.of();
    }
    Set<String> left = ids(refs);
    ids.forEach(left::remove);
    return left;
  }
}
