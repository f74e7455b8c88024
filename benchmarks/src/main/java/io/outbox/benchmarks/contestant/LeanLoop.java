package io.outbox.benchmarks.contestant;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import javax.sql.DataSource;

/**
 * The least that can deliver events from PostgreSQL: a table of four columns with one partial
 * index, and one thread that reads 500 events, delivers them and finishes them with one statement.
 * It claims nothing, so there can be one process only, and it has no retries.
 */
final class LeanLoop implements Contestant {

  private static final int BATCH = 500;
  private static final int IDLE_MILLIS = 1;
  private static final int POOL = 10;

  private final HikariDataSource pool;
  private final DataSource watched;
  private Thread loop;
  private volatile boolean stopped;
  private volatile Exception failure;

  LeanLoop(Setup setup) {
    this.pool = setup.pool(POOL);
    this.watched = setup.watched(pool);
  }

  @Override
  public String settings() {
    return "1 thread, batches of %d, idle pause %d ms; pool %d".formatted(BATCH, IDLE_MILLIS, POOL);
  }

  @Override
  public void prepare() throws SQLException {
    try (Connection conn = pool.getConnection();
        Statement statement = conn.createStatement()) {
      statement.execute(
          "CREATE TABLE lean_event (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,"
              + " event_type text NOT NULL, payload json NOT NULL, done_at timestamptz)");
      statement.execute("CREATE INDEX lean_event_due ON lean_event (id) WHERE done_at IS NULL");
    }
  }

  @Override
  public void fillWaiting(int first, int count, int bytes) throws SQLException {
    try (Connection conn = pool.getConnection();
        PreparedStatement insert = insert(conn)) {
      conn.setAutoCommit(false);
      for (int n = first; n < first + count; n++) {
        add(insert, Measured.of(n, bytes));
        if (n % 1_000 == 0) {
          insert.executeBatch();
        }
      }
      insert.executeBatch();
      conn.commit();
      conn.setAutoCommit(true);
    }
  }

  @Override
  public void fillFinished(int count) throws SQLException {
    try (Connection conn = pool.getConnection();
        PreparedStatement fill =
            conn.prepareStatement(
                "INSERT INTO lean_event (event_type, payload, done_at)"
                    + " SELECT 'Measured', CAST(? AS json), now() FROM generate_series(1, ?)")) {
      fill.setString(1, Measured.of(0, 200).toJson());
      fill.setInt(2, count);
      fill.executeUpdate();
    }
  }

  @Override
  public void start(IntConsumer listener) {
    stopped = false;
    loop = new Thread(() -> run(listener), "lean-loop");
    loop.start();
  }

  @Override
  public void startWriting(IntConsumer listener) {}

  private void run(IntConsumer listener) {
    try (Connection conn = pool.getConnection();
        PreparedStatement next =
            conn.prepareStatement(
                "SELECT id, payload FROM lean_event WHERE done_at IS NULL ORDER BY id LIMIT ?");
        PreparedStatement finish =
            conn.prepareStatement("UPDATE lean_event SET done_at = now() WHERE id = ANY (?)")) {
      while (!stopped) {
        List<Long> ids = deliver(next, listener);
        if (ids.isEmpty()) {
          Thread.sleep(IDLE_MILLIS);
          continue;
        }
        Array array = conn.createArrayOf("bigint", ids.toArray());
        finish.setArray(1, array);
        finish.executeUpdate();
        array.free();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Exception e) {
      failure = e;
    }
  }

  private static List<Long> deliver(PreparedStatement next, IntConsumer listener)
      throws SQLException {
    next.setInt(1, BATCH);
    List<Long> ids = new ArrayList<>(BATCH);
    try (ResultSet rows = next.executeQuery()) {
      while (rows.next()) {
        listener.accept(Measured.numberIn(rows.getString(2)));
        ids.add(rows.getLong(1));
      }
    }
    return ids;
  }

  @Override
  public void transact(Tx.Work work) throws Exception {
    try (Connection conn = watched.getConnection()) {
      conn.setAutoCommit(false);
      work.run(new LeanTx(conn));
      conn.commit();
    }
  }

  private record LeanTx(Connection connection) implements Tx {
    @Override
    public void publish(Measured event) throws SQLException {
      publishAll(List.of(event));
    }

    @Override
    public void publishAll(List<Measured> events) throws SQLException {
      try (PreparedStatement insert = insert(connection)) {
        for (Measured event : events) {
          add(insert, event);
        }
        insert.executeBatch();
      }
    }
  }

  private static PreparedStatement insert(Connection conn) throws SQLException {
    return conn.prepareStatement(
        "INSERT INTO lean_event (event_type, payload) VALUES ('Measured', CAST(? AS json))");
  }

  private static void add(PreparedStatement insert, Measured event) throws SQLException {
    insert.setString(1, event.toJson());
    insert.addBatch();
  }

  @Override
  public long unfinished() throws Exception {
    if (failure != null) {
      throw failure;
    }
    return Sql.number(pool, "SELECT count(*) FROM lean_event WHERE done_at IS NULL");
  }

  @Override
  public boolean isFinished() throws Exception {
    if (failure != null) {
      throw failure;
    }
    return Sql.number(
            pool,
            "SELECT count(*) FROM (SELECT 1 FROM lean_event WHERE done_at IS NULL LIMIT 1) pending")
        == 0;
  }

  @Override
  public void stop() throws InterruptedException {
    stopped = true;
    if (loop != null) {
      loop.join();
    }
  }

  @Override
  public void close() throws InterruptedException {
    stop();
    pool.close();
  }
}
