package io.outbox.jdbc.internal.outcome;

import static java.util.Comparator.naturalOrder;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.internal.PartitionedBySeq;
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
import java.util.HashSet;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** One statement locks, changes and says what it changed, for any number of events. */
public final class PostgresLeaseWrites implements LeaseWrites {

  private final StoreContext context;
  private final PostgresPlans outcomeTemplate;
  private final PostgresPlans leaseTemplate;
  private final PostgresLeaseSql anywhere;
  private final PostgresLeaseSql within;
  private final String readSql;
  private final PartitionedBySeq partitioned;
  private final PostgresBulkWrites bulk;

  public PostgresLeaseWrites(StoreContext context) {
    this.context = context;
    this.outcomeTemplate = new PostgresPlans(context, "write outcomes");
    this.leaseTemplate = new PostgresPlans(context, "change leases");
    this.partitioned = new PartitionedBySeq(context);
    this.bulk = new PostgresBulkWrites(context, partitioned);
    this.anywhere = new PostgresLeaseSql(context.table, "");
    this.within = new PostgresLeaseSql(context.table, " AND e.seq BETWEEN ? AND ?");
    this.readSql =
        "SELECT %s FROM %s WHERE event_id = ANY(?)".formatted(RowState.COLUMNS, context.table);
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
    return switch (kind) {
      case DELETED ->
          bulk.delete(conn, refs)
              ? Set.of()
              : left(
                  outcomeTemplate, conn, sql -> sql.delete, refs, refArrays(conn, refs), List.of());
      case DONE_AT_ONCE -> {
        Instant latest = outcomes.stream().map(Outcome::at).max(naturalOrder()).orElseThrow();
        List<Object> at = List.of(context.time(latest));
        yield bulk.done(conn, refs, at)
            ? Set.of()
            : left(outcomeTemplate, conn, sql -> sql.done, refs, refArrays(conn, refs), at);
      }
      case OTHER -> {
        List<Object> arrays = refArrays(conn, refs);
        arrays.add(PostgresArrays.ints(conn, outcomes, outcome -> outcome.status().code()));
        arrays.add(PostgresArrays.ints(conn, outcomes, Outcome::attempts));
        arrays.add(PostgresArrays.timestamps(conn, outcomes, Outcome::at));
        arrays.add(PostgresArrays.texts(conn, outcomes, Outcome::error));
        boolean mark = context.waiting.isKept(conn);
        yield left(outcomeTemplate, conn, sql -> sql.write(mark), refs, arrays, List.of());
      }
    };
  }

  @Override
  public Set<String> change(
      Connection conn, Change change, Collection<EventRef> refs, List<Object> params) {
    boolean mark = context.waiting.isKept(conn);
    Set<String> changed = ids(refs);
    changed.removeAll(
        left(
            leaseTemplate,
            conn,
            sql -> sql.change(change, mark),
            refs,
            refArrays(conn, refs),
            params));
    return changed;
  }

  @Override
  public List<RowState> read(Connection conn, Collection<String> eventIds) {
    return outcomeTemplate.query(
        conn,
        PostgresPlans.ANEW,
        readSql,
        row -> RowState.read(context.product, row),
        PostgresArrays.texts(conn, eventIds, id -> id));
  }

  /** There are many references and few owners: each is sent once, and referred to by number. */
  private static List<Object> refArrays(Connection conn, Collection<EventRef> refs) {
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

  /** Of those that are as many as were asked for, {@link PostgresLeaseSql} says no more. */
  private Set<String> left(
      PostgresPlans jdbc,
      Connection conn,
      Function<PostgresLeaseSql, String> sql,
      Collection<EventRef> refs,
      List<Object> arrays,
      List<Object> params) {
    List<Object> bounds = bounds(conn, refs);
    Object[] all =
        Stream.of(arrays, bounds, params, bounds, List.of(refs.size(), refs.size()))
            .flatMap(List::stream)
            .toArray();
    JdbcTemplate.RowMapper<String> id = row -> row.getString(1);
    List<String> ids =
        bounds.isEmpty()
            ? jdbc.queryAnew(conn, refs.size(), sql.apply(anywhere), id, all)
            : jdbc.query(conn, PostgresPlans.BY_INDEX_ANEW, sql.apply(within), id, all);
    if (ids.size() == 1 && ids.get(0) == null) {
      return Set.of();
    }
    Set<String> left = ids(refs);
    ids.forEach(left::remove);
    return left;
  }

  /**
   * The first and the last number of rows in partitions, so that the others are not looked into;
   * empty if the table has none, if a number is not known, and for few rows, whose plan is kept.
   */
  private List<Object> bounds(Connection conn, Collection<EventRef> refs) {
    if (refs.size() <= PostgresPlans.FEW || !partitioned.is(conn)) {
      return List.of();
    }
    LongSummaryStatistics seqs = refs.stream().mapToLong(EventRef::seq).summaryStatistics();
    return seqs.getMin() <= 0 ? List.of() : List.of(seqs.getMin(), seqs.getMax());
  }
}
