package io.outbox.jdbc.store;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.internal.Product;
import io.outbox.operate.EventSummary;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * A number of rows next to each other on a walk, and those among them that match. The number is a
 * fence for the planner: it finds the rows along the index, whatever it thinks of the filter.
 */
final class Window {

  private final StoreContext context;
  private final SummaryColumns columns;
  private final JdbcTemplate jdbc;

  /**
   * A row of a window.
   *
   * @param at its place in time on the walk
   * @param hit whether it matches
   * @param number in the window, from 1
   * @param last whether it is the last of the window
   */
  record Row(EventSummary event, Instant at, boolean hit, int number, boolean last) {}

  /**
   * Which rows.
   *
   * @param bounds conditions that the index fulfils
   * @param filter conditions for each row
   * @param from where to begin; null at the newest
   * @param at what to tell as a row's place in time, an expression
   */
  record Request(Walk walk, Conditions bounds, Conditions filter, Bound from, String at) {

    Request(Walk walk, Conditions bounds, Conditions filter, Bound from) {
      this(walk, bounds, filter, from, walk.isTimed() ? walk.at() : "created_at");
    }
  }

  Window(StoreContext context) {
    this.context = context;
    this.columns = new SummaryColumns(context.product);
    this.jdbc = context.template("search");
  }

  /**
   * Reads the rows that match, and the last one of the window in any case unless {@code hits} come
   * before it.
   *
   * @param size of the window
   * @param hits how many matching rows at most
   */
  List<Row> read(Connection conn, Request request, int size, int hits) {
    List<Object> params = new ArrayList<>(request.filter().params());
    String rows = rows(request, size, params);
    if (request.filter().isEmpty()) {
      params.set(params.size() - 1, Math.min(size, hits));
      String sql = "SELECT " + SummaryColumns.ALL + ", pos FROM (" + rows + ") w";
      List<Row> all =
          jdbc.query(
              conn, sql + " ORDER BY " + order(request.walk()), this::readPlain, params.toArray());
      return numbered(all, hits < size && all.size() == hits);
    }
    params.add(hits);
    String sql =
        """
        SELECT %s, pos, hit, rn, CASE WHEN following IS NULL THEN 1 ELSE 0 END FROM (
          SELECT w.*, CASE WHEN %s THEN 1 ELSE 0 END AS hit,
            ROW_NUMBER() OVER (ORDER BY %3$s) AS rn, LEAD(seq) OVER (ORDER BY %3$s) AS following
          FROM (%4$s) w) v
        WHERE hit = 1 OR following IS NULL ORDER BY rn LIMIT ?
        """
            .formatted(SummaryColumns.ALL, request.filter().text(), order(request.walk()), rows);
    return jdbc.query(conn, sql, this::readNumbered, params.toArray());
  }

  Object time(Instant at) {
    return context.product.parameter(at);
  }

  /** By the names that the columns have in the window. */
  private static String order(Walk walk) {
    String tie = (walk.tie() == null ? Walk.Tie.ID : walk.tie()).column + " DESC";
    return walk.isTimed() ? "pos DESC, " + tie : tie;
  }

  private String rows(Request request, int size, List<Object> params) {
    Walk walk = request.walk();
    Conditions conditions = new Conditions().add(walk.rows()).addAll(request.bounds());
    if (request.from() != null) {
      addBound(conditions, walk, request.from());
    }
    params.addAll(conditions.params());
    params.add(size);
    String index =
        walk.index().equals("PRIMARY") ? walk.index() : context.table.derived(walk.index());
    return "SELECT %s, %s AS pos FROM %s%s WHERE %s ORDER BY %s LIMIT ?"
        .formatted(
            SummaryColumns.RAW,
            request.at(),
            context.table,
            context.locks.forceIndex(index),
            conditions.text(),
            walk.order());
  }

  private void addBound(Conditions conditions, Walk walk, Bound from) {
    if (!walk.isTimed()) {
      conditions.add(walk.tie().column + " < ?", walk.tie().value(from.tie()));
      return;
    }
    Object at = context.product.parameter(from.at());
    if (from.tie() == null || walk.tie() == null) {
      conditions.add(walk.at() + (from.inclusive() ? " <= ?" : " < ?"), at);
      return;
    }
    Object tie = walk.tie().value(from.tie());
    if (context.product == Product.POSTGRESQL) {
      conditions.add("(%s, %s) < (?, ?)".formatted(walk.at(), walk.tie().column), at, tie);
    } else {
      // MySQL reads a range of the index only if it is spelled out like this
      conditions.add(
          "%1$s <= ? AND ((%1$s = ? AND %2$s < ?) OR %1$s < ?)"
              .formatted(walk.at(), walk.tie().column),
          at,
          at,
          tie,
          at);
    }
  }

  private Row readPlain(ResultSet row) throws SQLException {
    Instant at = context.product.instant(row, SummaryColumns.COUNT + 1);
    return new Row(columns.read(row), at, true, 0, false);
  }

  private Row readNumbered(ResultSet row) throws SQLException {
    int next = SummaryColumns.COUNT + 1;
    return new Row(
        columns.read(row),
        context.product.instant(row, next),
        row.getInt(next + 1) == 1,
        row.getInt(next + 2),
        row.getInt(next + 3) == 1);
  }

  private static List<Row> numbered(List<Row> rows, boolean cut) {
    List<Row> numbered = new ArrayList<>(rows.size());
    for (Row row : rows) {
      int number = numbered.size() + 1;
      numbered.add(new Row(row.event(), row.at(), true, number, number == rows.size() && !cut));
    }
    return numbered;
  }
}
