package io.outbox.benchmarks.contestant;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.testdb.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.IntConsumer;
import javax.sql.DataSource;

/**
 * What a team would write by hand and could hardly beat: one thread claims 500 events with one
 * statement, delivers them, and finishes them with another, each in its own transaction.
 */
final class PlainJdbcLoop implements Contestant {

  static final int BATCH = 500;
  private static final int IDLE_MILLIS = 10;
  private static final int POOL = 10;

  private final Setup setup;
  private final OutboxTable table;
  private final HikariDataSource pool;
  private final DataSource watched;
  private ExecutorService listeners;
  private Thread loop;
  private volatile boolean stopped;
  private volatile Exception failure;

  PlainJdbcLoop(Setup setup) {
    this.setup = setup;
    this.table = new OutboxTable(setup);
    this.pool = setup.pool(POOL);
    this.watched = setup.watched(pool);
  }

  @Override
  public String settings() {
    return "1 thread, batches of %d, idle pause %d ms%s; pool %d"
        .formatted(
            BATCH,
            IDLE_MILLIS,
            setup.inFlight() > 0 ? ", " + setup.inFlight() + " listener threads" : "",
            POOL);
  }

  @Override
  public void prepare() throws SQLException {
    table.create();
  }

  @Override
  public void fillWaiting(int first, int count, int bytes) throws SQLException {
    table.fillWaiting(first, count, bytes);
  }

  @Override
  public void fillFinished(int count) throws SQLException {
    table.fillFinished(count);
  }

  @Override
  public void start(IntConsumer listener) {
    stopped = false;
    listeners = setup.inFlight() > 0 ? Executors.newFixedThreadPool(setup.inFlight()) : null;
    loop = new Thread(() -> run(listener), "plain-loop");
    loop.start();
  }

  @Override
  public void startWriting(IntConsumer listener) {}

  private void run(IntConsumer listener) {
    try (Connection conn = pool.getConnection();
        PlainClaims claims = PlainClaims.on(conn, setup.kind())) {
      while (!stopped) {
        List<PlainClaims.Claimed> batch = claims.claim(BATCH);
        if (batch.isEmpty()) {
          Thread.sleep(IDLE_MILLIS);
          continue;
        }
        deliver(batch, listener);
        claims.finish(batch);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Exception e) {
      failure = e;
    }
  }

  private void deliver(List<PlainClaims.Claimed> batch, IntConsumer listener) throws Exception {
    if (listeners == null) {
      batch.forEach(event -> listener.accept(Measured.numberIn(event.payload())));
      return;
    }
    for (var done :
        listeners.invokeAll(
            batch.stream()
                .map(
                    event ->
                        Executors.callable(
                            () -> listener.accept(Measured.numberIn(event.payload()))))
                .toList())) {
      done.get();
    }
  }

  @Override
  public void transact(Tx.Work work) throws Exception {
    try (Connection conn = watched.getConnection()) {
      conn.setAutoCommit(false);
      work.run(new PlainTx(conn));
      conn.commit();
    }
  }

  private final class PlainTx implements Tx {
    private final Connection conn;

    PlainTx(Connection conn) {
      this.conn = conn;
    }

    @Override
    public Connection connection() {
      return conn;
    }

    @Override
    public void publish(Measured event) throws SQLException {
      publishAll(List.of(event));
    }

    @Override
    public void publishAll(List<Measured> events) throws SQLException {
      String payload = setup.kind() == TestDatabase.POSTGRES ? "CAST(? AS json)" : "?";
      try (PreparedStatement insert =
          conn.prepareStatement(
              "INSERT INTO outbox_event (event_id, event_type, aggregate_type, aggregate_id,"
                  + " payload, status, attempts, available_at, created_at)"
                  + " VALUES (?, 'Measured', 'Order', ?, "
                  + payload
                  + ", 0, 0, ?, ?)")) {
        Object now = OutboxTable.time(setup.kind(), Instant.now());
        for (Measured event : events) {
          insert.setString(1, UUID.randomUUID().toString());
          insert.setString(2, Integer.toString(event.n()));
          insert.setString(3, event.toJson());
          insert.setObject(4, now);
          insert.setObject(5, now);
          insert.addBatch();
        }
        insert.executeBatch();
      }
    }
  }

  @Override
  public long unfinished() throws Exception {
    check();
    return table.unfinished();
  }

  @Override
  public boolean isFinished() throws Exception {
    check();
    return table.isFinished();
  }

  private void check() throws Exception {
    if (failure != null) {
      throw failure;
    }
  }

  @Override
  public void stop() throws InterruptedException {
    stopped = true;
    if (loop != null) {
      loop.join();
    }
    if (listeners != null) {
      listeners.shutdown();
    }
  }

  @Override
  public void close() throws InterruptedException {
    stop();
    pool.close();
    table.close();
  }
}
