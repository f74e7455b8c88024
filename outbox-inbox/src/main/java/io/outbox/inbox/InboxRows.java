package io.outbox.inbox;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** The statements on one inbox table. */
final class InboxRows {

  /** Not checked: a row that somebody else inserted must not stop the purger. */
  private record Key(String consumer, String eventId) {}

  private final InboxTable table;
  private final Clock clock;
  private volatile InboxDatabase database;

  InboxRows(InboxTable table, Clock clock) {
    this.table = table;
    this.clock = clock;
  }

  InboxTable table() {
    return table;
  }

  Instant now() {
    return clock.instant();
  }

  /**
   * Remembers an event. Waits for a transaction that is about to remember it too.
   *
   * @return false if it was remembered before
   */
  boolean insert(Connection conn, InboxEntry entry, Instant at) throws SQLException {
    InboxDatabase product = database(conn);
    String sql =
        "INSERT INTO "
            + table
            + " (consumer, event_id, processed_at) VALUES (?, ?, ?)"
            + product.onDuplicate();
    try (PreparedStatement insert = conn.prepareStatement(sql)) {
      insert.setString(1, entry.consumer());
      insert.setString(2, entry.eventId());
      insert.setObject(3, product.parameter(at));
      return insert.executeUpdate() == 1;
    } catch (SQLException e) {
      if (SqlFailures.isDuplicateKey(e)) {
        return false;
      }
      throw e;
    }
  }

  /**
   * Deletes what was remembered at this time, and not what another transaction remembered since.
   */
  void delete(Connection conn, InboxEntry entry, Instant at) throws SQLException {
    String sql =
        "DELETE FROM " + table + " WHERE consumer = ? AND event_id = ? AND processed_at = ?";
    try (PreparedStatement delete = conn.prepareStatement(sql)) {
      delete.setString(1, entry.consumer());
      delete.setString(2, entry.eventId());
      delete.setObject(3, database(conn).parameter(at));
      delete.executeUpdate();
    }
  }

  /** Reads without a lock and deletes by key: a locking range would make inserts wait. */
  int purge(Connection conn, Instant before, int limit) throws SQLException {
    Object time = database(conn).parameter(before);
    List<Key> old = olderThan(conn, time, limit);
    String sql =
        "DELETE FROM " + table + " WHERE consumer = ? AND event_id = ? AND processed_at < ?";
    try (PreparedStatement delete = conn.prepareStatement(sql)) {
      for (Key key : old) {
        delete.setString(1, key.consumer());
        delete.setString(2, key.eventId());
        delete.setObject(3, time);
        delete.addBatch();
      }
      return old.isEmpty() ? 0 : count(delete.executeBatch());
    }
  }

  private List<Key> olderThan(Connection conn, Object time, int limit) throws SQLException {
    String sql =
        "SELECT consumer, event_id FROM "
            + table
            + " WHERE processed_at < ? ORDER BY processed_at, consumer, event_id LIMIT ?";
    try (PreparedStatement select = conn.prepareStatement(sql)) {
      select.setObject(1, time);
      select.setInt(2, limit);
      try (ResultSet rows = select.executeQuery()) {
        List<Key> keys = new ArrayList<>();
        while (rows.next()) {
          keys.add(new Key(rows.getString(1), rows.getString(2)));
        }
        return keys;
      }
    }
  }

  /** A driver that rewrites batches may not know how many rows each statement deleted. */
  private static int count(int[] deleted) {
    int count = 0;
    for (int rows : deleted) {
      count += rows == Statement.SUCCESS_NO_INFO ? 1 : rows;
    }
    return count;
  }

  private InboxDatabase database(Connection conn) throws SQLException {
    InboxDatabase known = database;
    if (known == null) {
      known = InboxDatabase.of(conn);
      database = known;
    }
    return known;
  }
}
