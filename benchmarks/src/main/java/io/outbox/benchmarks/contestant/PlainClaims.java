package io.outbox.benchmarks.contestant;

import io.outbox.testdb.TestDatabase;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** The two statements of the plain loop. */
abstract class PlainClaims implements AutoCloseable {

  /** An event to be delivered. */
  record Claimed(String id, String payload) {}

  abstract List<Claimed> claim(int limit) throws SQLException;

  abstract void finish(List<Claimed> events) throws SQLException;

  @Override
  public abstract void close() throws SQLException;

  static PlainClaims on(Connection conn, TestDatabase kind) throws SQLException {
    return kind == TestDatabase.POSTGRES ? new Arrays(conn) : new InLists(conn);
  }

  private static List<Claimed> read(ResultSet rows) throws SQLException {
    List<Claimed> claimed = new ArrayList<>();
    while (rows.next()) {
      claimed.add(new Claimed(rows.getString(1), rows.getString(2)));
    }
    return claimed;
  }

  /** PostgreSQL claims and returns in one statement. */
  private static final class Arrays extends PlainClaims {
    private final Connection conn;
    private final PreparedStatement claim;
    private final PreparedStatement finish;

    Arrays(Connection conn) throws SQLException {
      this.conn = conn;
      claim =
          conn.prepareStatement(
              """
              WITH next AS MATERIALIZED (
                SELECT event_id FROM outbox_event
                WHERE status IN (0, 2) AND locked_by IS NULL AND available_at <= now()
                ORDER BY available_at, seq LIMIT ? FOR UPDATE SKIP LOCKED)
              UPDATE outbox_event e SET locked_by = 'loop', locked_at = now()
              FROM next WHERE e.event_id = next.event_id
              RETURNING e.event_id, e.payload
              """);
      finish =
          conn.prepareStatement(
              """
              UPDATE outbox_event SET status = 1, done_at = now(), locked_by = NULL, locked_at = NULL
              WHERE event_id = ANY (?) AND locked_by = 'loop'
              """);
    }

    @Override
    List<Claimed> claim(int limit) throws SQLException {
      claim.setInt(1, limit);
      try (ResultSet rows = claim.executeQuery()) {
        return read(rows);
      }
    }

    @Override
    void finish(List<Claimed> events) throws SQLException {
      Array ids = conn.createArrayOf("varchar", events.stream().map(Claimed::id).toArray());
      finish.setArray(1, ids);
      finish.executeUpdate();
      ids.free();
    }

    @Override
    public void close() throws SQLException {
      claim.close();
      finish.close();
    }
  }

  /** The others lock, then update. */
  private static final class InLists extends PlainClaims {
    private static final String SKIPPING = " FOR UPDATE SKIP LOCKED";
    private static final String IDS = " WHERE event_id IN (" + "?, ".repeat(499) + "?)";
    private final Connection conn;
    private final boolean sortsWhatItLocks;
    private final PreparedStatement next;
    private final PreparedStatement lock;
    private final PreparedStatement claim;
    private final PreparedStatement finish;

    InLists(Connection conn) throws SQLException {
      this.conn = conn;
      conn.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      // H2 sorts whatever it locks, even by the order of an index: all that waits, for each batch.
      sortsWhatItLocks = isH2(conn);
      // An application that reads the clock of its database can use the index.
      next =
          conn.prepareStatement(
              "SELECT event_id, payload FROM outbox_event WHERE due_at <= "
                  + now(conn)
                  + " ORDER BY due_at, seq LIMIT ?"
                  + (sortsWhatItLocks ? "" : SKIPPING));
      lock =
          conn.prepareStatement(
              "SELECT event_id, payload FROM outbox_event"
                  + IDS
                  + " AND due_at <= "
                  + now(conn)
                  + SKIPPING);
      claim =
          conn.prepareStatement(
              "UPDATE outbox_event SET locked_by = 'loop', locked_at = " + now(conn) + IDS);
      finish =
          conn.prepareStatement(
              "UPDATE outbox_event SET status = 1, done_at = "
                  + now(conn)
                  + ", locked_by = NULL, locked_at = NULL"
                  + IDS);
    }

    private static boolean isH2(Connection conn) throws SQLException {
      return conn.getMetaData().getURL().startsWith("jdbc:h2:");
    }

    private static String now(Connection conn) throws SQLException {
      return isH2(conn) ? "CURRENT_TIMESTAMP" : "UTC_TIMESTAMP(6)";
    }

    @Override
    List<Claimed> claim(int limit) throws SQLException {
      conn.setAutoCommit(false);
      next.setInt(1, limit);
      List<Claimed> claimed = query(next);
      if (sortsWhatItLocks && !claimed.isEmpty()) {
        setIds(lock, claimed);
        claimed = query(lock);
      }
      if (!claimed.isEmpty()) {
        update(claim, claimed);
      }
      conn.commit();
      return claimed;
    }

    @Override
    void finish(List<Claimed> events) throws SQLException {
      update(finish, events);
      conn.commit();
    }

    private static List<Claimed> query(PreparedStatement select) throws SQLException {
      try (ResultSet rows = select.executeQuery()) {
        return read(rows);
      }
    }

    private static void update(PreparedStatement statement, List<Claimed> events)
        throws SQLException {
      setIds(statement, events);
      statement.executeUpdate();
    }

    private static void setIds(PreparedStatement statement, List<Claimed> events)
        throws SQLException {
      for (int i = 0; i < PlainJdbcLoop.BATCH; i++) {
        statement.setString(i + 1, i < events.size() ? events.get(i).id() : "");
      }
    }

    @Override
    public void close() throws SQLException {
      next.close();
      lock.close();
      claim.close();
      finish.close();
    }
  }
}
