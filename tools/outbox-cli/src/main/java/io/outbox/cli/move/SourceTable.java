package io.outbox.cli.move;

import io.outbox.cli.move.mapping.Condition;
import io.outbox.cli.move.mapping.EventField;
import io.outbox.cli.move.mapping.Field;
import io.outbox.cli.move.mapping.Mapping;
import io.outbox.cli.move.mapping.RowKind;
import io.outbox.cli.move.mapping.SourceColumns;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The statements on the table that has the rows. Values are always bound. */
final class SourceTable {

  private static final String NOW = "now";

  /** Where a sweep through the table is. */
  record Place(Object order, Object key) {}

  private final Mapping mapping;
  private final SourceColumns columns;
  private final RowReader reader;
  private final String table;
  private final String key;
  private final String order;
  private final boolean postgres;

  private SourceTable(Mapping mapping, SourceColumns columns, boolean postgres) {
    this.mapping = mapping;
    this.columns = columns;
    this.reader = new RowReader(mapping, columns);
    this.table = mapping.origin().table();
    this.key = columns.require(mapping.origin().key()).quoted();
    this.order = columns.require(orderColumn()).quoted();
    this.postgres = postgres;
  }

  /** Looks at the table's columns, and checks that those of the mapping are there. */
  static SourceTable open(Connection conn, Mapping mapping) throws SQLException {
    boolean postgres = conn.getMetaData().getDatabaseProductName().equals("PostgreSQL");
    SourceColumns columns = SourceColumns.of(conn, mapping.origin().table());
    mapping.rows().values().forEach(condition -> condition.sql(columns));
    mapping.taken().keySet().forEach(columns::require);
    SourceTable source = new SourceTable(mapping, columns, postgres);
    source.requireOrder(conn);
    return source;
  }

  private String orderColumn() {
    Field occurredAt = mapping.fields().get(EventField.OCCURRED_AT);
    if (mapping.origin().orderBy() != null) {
      return mapping.origin().orderBy();
    }
    return reader.knowsTime() && occurredAt.column() != null
        ? occurredAt.column()
        : mapping.origin().key();
  }

  /** A sweep in order would pass rows that have no place in it. */
  private void requireOrder(Connection conn) throws SQLException {
    String sql = "SELECT 1 FROM %s WHERE %s IS NULL LIMIT 1".formatted(table, order);
    try (PreparedStatement statement = conn.prepareStatement(sql);
        ResultSet row = statement.executeQuery()) {
      if (row.next()) {
        throw new IllegalArgumentException(
            "%s has rows without %s: name another column as 'order-by'".formatted(table, order));
      }
    }
  }

  String name() {
    return table;
  }

  Mapping mapping() {
    return mapping;
  }

  boolean knowsTime() {
    return reader.knowsTime();
  }

  long count(Connection conn, RowKind kind) throws SQLException {
    String sql = "SELECT count(*) FROM %s WHERE %s".formatted(table, condition(kind));
    try (PreparedStatement statement = conn.prepareStatement(sql)) {
      bindCondition(statement, 1, kind);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getLong(1);
      }
    }
  }

  /** The next rows of a sweep; from the beginning if {@code after} is null. */
  List<Place> next(Connection conn, RowKind kind, Place after, int limit) throws SQLException {
    String more = after == null ? "" : " AND (%s, %s) > (?, ?)".formatted(order, key);
    String sql =
        "SELECT %s, %s FROM %s WHERE %s%s ORDER BY 1, 2 LIMIT ?"
            .formatted(order, key, table, condition(kind), more);
    try (PreparedStatement statement = conn.prepareStatement(sql)) {
      int next = bindCondition(statement, 1, kind);
      if (after != null) {
        statement.setObject(next++, after.order());
        statement.setObject(next++, after.key());
      }
      statement.setInt(next, limit);
      return places(statement);
    }
  }

  private List<Place> places(PreparedStatement statement) throws SQLException {
    List<Place> places = new ArrayList<>();
    SourceColumns.Kind kind = columns.require(orderColumn()).kind();
    try (ResultSet row = statement.executeQuery()) {
      while (row.next()) {
        // Without a detour through the zone of this process, in which some times exist twice.
        Object at =
            switch (kind) {
              case INSTANT -> row.getObject(1, OffsetDateTime.class);
              case LOCAL_TIME, UTC_TIME -> row.getObject(1, LocalDateTime.class);
              default -> row.getObject(1);
            };
        places.add(new Place(at, row.getObject(2)));
      }
    }
    return places;
  }

  /**
   * The rows with these keys that are still of the kind, in order.
   *
   * @param lock whether nobody else may change them until the end of the transaction; rows that
   *     somebody else has locked are left out then
   */
  List<SourceRow> read(Connection conn, RowKind kind, List<Object> keys, boolean lock, Instant now)
      throws SQLException {
    String sql =
        "SELECT %s FROM %s WHERE %s AND %s ORDER BY %s, %s%s"
            .formatted(
                reader.selected(),
                table,
                among(keys),
                conditionWithoutIndex(kind),
                order,
                key,
                lock ? " FOR UPDATE SKIP LOCKED" : "");
    try (PreparedStatement statement = conn.prepareStatement(sql)) {
      bindCondition(statement, bindKeys(statement, 1, keys), kind);
      List<SourceRow> rows = new ArrayList<>();
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          rows.add(reader.read(row, now));
        }
      }
      return rows;
    }
  }

  /** Deletes the rows, or marks them as the mapping says; returns how many it were. */
  int take(Connection conn, RowKind kind, List<Object> keys) throws SQLException {
    String action =
        mapping.taken().isEmpty()
            ? "DELETE FROM " + table
            : mapping.taken().entrySet().stream()
                .map(set -> columns.require(set.getKey()).quoted() + " = " + value(set.getValue()))
                .collect(Collectors.joining(", ", "UPDATE " + table + " SET ", ""));
    String sql = action + " WHERE " + among(keys) + " AND " + conditionWithoutIndex(kind);
    try (PreparedStatement statement = conn.prepareStatement(sql)) {
      int next = 1;
      for (String value : mapping.taken().values()) {
        if (!value.equals(NOW)) {
          bindText(statement, next++, value);
        }
      }
      bindCondition(statement, bindKeys(statement, next, keys), kind);
      return statement.executeUpdate();
    }
  }

  private static String value(String text) {
    return text.equals(NOW) ? "CURRENT_TIMESTAMP" : "?";
  }

  private String among(List<Object> keys) {
    return key + " IN (" + "?, ".repeat(keys.size() - 1) + "?)";
  }

  private static int bindKeys(PreparedStatement statement, int first, List<Object> keys)
      throws SQLException {
    int next = first;
    for (Object each : keys) {
      statement.setObject(next++, each);
    }
    return next;
  }

  private String condition(RowKind kind) {
    return conditions(kind)
        .map(condition -> condition.sql(columns))
        .collect(Collectors.joining(" AND "));
  }

  private String conditionWithoutIndex(RowKind kind) {
    return conditions(kind)
        .map(condition -> condition.sqlWithoutIndex(columns))
        .collect(Collectors.joining(" AND "));
  }

  private Stream<Condition> conditions(RowKind kind) {
    return Stream.concat(Stream.of(mapping.rows().get(kind)), mapping.where().stream());
  }

  private int bindCondition(PreparedStatement statement, int first, RowKind kind)
      throws SQLException {
    int next = first;
    for (String value : conditions(kind).flatMap(each -> each.values().stream()).toList()) {
      bindText(statement, next++, value);
    }
    return next;
  }

  /** A value of a mapping, for a column of any type: the database converts it. */
  private void bindText(PreparedStatement statement, int position, String text)
      throws SQLException {
    if (postgres) {
      statement.setObject(position, text, Types.OTHER);
    } else if (text.equals("true") || text.equals("false")) {
      // As a text, MariaDB would take both for 0.
      statement.setBoolean(position, Boolean.parseBoolean(text));
    } else {
      statement.setString(position, text);
    }
  }
}
