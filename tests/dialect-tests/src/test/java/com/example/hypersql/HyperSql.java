package com.example.hypersql;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.store.DialectOutboxStore;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.model.EventStatus;
import io.outbox.model.Lease;
import io.outbox.model.OutboxEvent;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Optional;
import javax.sql.DataSource;
import org.hsqldb.jdbc.JDBCDataSource;

/** A database in memory with an outbox table, and its rows. */
final class HyperSql {

  private static final JdbcTemplate JDBC = new JdbcTemplate();
  private static HyperSql shared;

  final DataSource dataSource;
  final DialectOutboxStore store;

  private HyperSql(String name) {
    this.dataSource = empty(name);
    OutboxSchema.create(dataSource);
    this.store = (DialectOutboxStore) JdbcOutboxStores.detect(dataSource);
  }

  static synchronized HyperSql shared() {
    if (shared == null) {
      shared = new HyperSql("shared");
    }
    return shared;
  }

  /** A database without tables, unless somebody has used the name before. */
  static DataSource empty(String name) {
    JDBCDataSource hsqldb = new JDBCDataSource();
    hsqldb.setUrl("jdbc:hsqldb:mem:" + name + ";hsqldb.tx=mvcc");
    hsqldb.setUser("SA");
    return hsqldb;
  }

  Connection connect() throws SQLException {
    return dataSource.getConnection();
  }

  void deleteAllEvents() throws SQLException {
    try (Connection conn = connect()) {
      JDBC.update(conn, "DELETE FROM outbox_event");
    }
  }

  void setStatusCode(Connection conn, String eventId, int code) {
    JDBC.update(conn, "UPDATE outbox_event SET status = ? WHERE event_id = ?", code, eventId);
  }

  /** No SELECT locks anything here. */
  void lockRow(Connection conn, String eventId) {
    JDBC.update(conn, "UPDATE outbox_event SET status = status WHERE event_id = ?", eventId);
  }

  Optional<OutboxEvent> find(Connection conn, String eventId) {
    return JDBC
        .query(conn, "SELECT * FROM outbox_event WHERE event_id = ?", HyperSql::read, eventId)
        .stream()
        .findFirst();
  }

  private static OutboxEvent read(ResultSet row) throws SQLException {
    long leaseNumber = row.getLong("lease_no");
    String owner = row.getString("locked_by");
    return OutboxEvent.builder(row.getString("event_id"), row.getString("event_type"))
        .aggregate(row.getString("aggregate_type"), row.getString("aggregate_id"))
        .tenantId(row.getString("tenant_id"))
        .payloadJson(row.getString("payload"))
        .payloadBytes(row.getBytes("payload_bytes"), row.getString("content_type"))
        .headersJson(row.getString("headers"))
        .orderingKey(row.getString("ordering_key"))
        .partitionKey(row.getString("partition_key"))
        .status(EventStatus.fromCode(row.getInt("status")))
        .attempts(row.getInt("attempts"))
        .availableAt(instant(row, "available_at"))
        .createdAt(instant(row, "created_at"))
        .doneAt(instant(row, "done_at"))
        .lastError(row.getString("last_error"))
        .leaseNumber(leaseNumber)
        .lease(owner == null ? null : new Lease(owner, instant(row, "locked_at"), leaseNumber))
        .seq(row.getLong("seq"))
        .claims(row.getInt("claims"))
        .starts(row.getInt("starts"))
        .replayedAt(instant(row, "replayed_at"))
        .waitingSince(instant(row, "waiting_since"))
        .build();
  }

  private static Instant instant(ResultSet row, String column) throws SQLException {
    OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
    return time == null ? null : time.toInstant();
  }
}
