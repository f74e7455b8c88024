package io.outbox.jdbc.internal.search;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.internal.Conditions;
import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.internal.StoreContext;
import io.outbox.operate.EventSummary;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads a number of neighboring rows of a search order, and tells which of them match. The number
 * is a fence for the planner: it finds the rows along the index, whatever it thinks of the filter.
 */
final class IndexScan {

  private final StoreContext context;
  private final JdbcTemplate jdbc;

  /**
   * A row of a scan.
   *
   * @param at its place in time in the order
   * @param hit whether it matches
   * @param number in the scan, from 1
   * @param last whether it is the last of the scan
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
  record Request(
      SearchOrder order, Conditions bounds, Conditions filter, SearchPosition from, String at) {

    Request(SearchOrder order, Conditions bounds, Conditions filter, SearchPosition from) {
      this(order, bounds, filter, from, order.isTimed() ? order.at() : "created_at");
    }
  }

  IndexScan(StoreContext context) {
    this.context = context;
    this.jdbc = context.template("search");
  }

  /**
   * Reads the rows that match, and the last one of the scan in any case unless {@code hits} come
   * before it.
   *
   * @param size of the scan
   * @param hits how many matching rows at most
   */
  List<Row> read(Connection conn, Request request, int size, int hits) {
    List<Object> params = new ArrayList<>(request.filter().params());
    String rows = rows(request, size, params);
    if (request.filter().isEmpty()) {
      params.set(params.size() - 1, Math.min(size, hits));
      String sql = "SELECT " + SummaryColumns.ALL + ", pos FROM (" + rows + ") w";
      List<Row> all =
          query(conn, sql + " ORDER BY " + orderBy(request.order()), this::readPlain, params);
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
            .formatted(SummaryColumns.ALL, request.filter().text(), orderBy(request.order()), rows);
    return query(conn, sql, this::readNumbered, params);
  }

  private List<Row> query(
      Connection conn, String sql, JdbcTemplate.RowMapper<Row> reader, List<Object> params) {
    return jdbc.query(conn, context.waiting.reading(conn, sql), reader, params.toArray());
  }

  Object time(Instant at) {
    return context.time(at);
  }

  /** By the names that the columns have in the scan. */
  private static String orderBy(SearchOrder order) {
    String tie = (order.tie() == null ? SearchOrder.Tie.ID : order.tie()).column + " DESC";
    return order.isTimed() ? "pos DESC, " + tie : tie;
  }

  private String rows(Request request, int size, List<Object> params) {
    SearchOrder order = request.order();
    Conditions conditions = new Conditions().add(order.rows()).addAll(request.bounds());
    if (request.from() != null) {
      addBound(conditions, order, request.from());
    }
    params.addAll(conditions.params());
    params.add(size);
    return "SELECT %s, %s AS pos FROM %s WHERE %s ORDER BY %s LIMIT ?"
        .formatted(
            SummaryColumns.RAW,
            request.at(),
            order == SearchOrders.BY_ID ? context.byKey() : context.along(order.index()),
            conditions.text(),
            order.orderBy());
  }

  private void addBound(Conditions conditions, SearchOrder order, SearchPosition from) {
    if (!order.isTimed()) {
      conditions.add(order.tie().column + " < ?", order.tie().value(from.tie()));
      return;
    }
    Object at = context.time(from.at());
    if (from.tie() == null || order.tie() == null) {
      conditions.add(order.at() + (from.inclusive() ? " <= ?" : " < ?"), at);
      return;
    }
    Object tie = order.tie().value(from.tie());
    if (context.product == Product.POSTGRESQL) {
      conditions.add("(%s, %s) < (?, ?)".formatted(order.at(), order.tie().column), at, tie);
    } else {
      // MySQL reads a range of the index only if it is spelled out like this
      conditions.add(
          "%1$s <= ? AND ((%1$s = ? AND %2$s < ?) OR %1$s < ?)"
              .formatted(order.at(), order.tie().column),
          at,
          at,
          tie,
          at);
    }
  }

  private Row readPlain(ResultSet row) throws SQLException {
    Instant at = context.instant(row, SummaryColumns.COUNT + 1);
    return new Row(SummaryColumns.read(context.product, row), at, true, 0, false);
  }

  private Row readNumbered(ResultSet row) throws SQLException {
    int next = SummaryColumns.COUNT + 1;
    return new Row(
        SummaryColumns.read(context.product, row),
        context.instant(row, next),
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
