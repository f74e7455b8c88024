package io.outbox.benchmarks.contestant;

import com.gruelbox.transactionoutbox.Dialect;
import com.gruelbox.transactionoutbox.Instantiator;
import com.gruelbox.transactionoutbox.Persistor;
import com.gruelbox.transactionoutbox.Submitter;
import com.gruelbox.transactionoutbox.ThreadLocalContextTransactionManager;
import com.gruelbox.transactionoutbox.Transaction;
import com.gruelbox.transactionoutbox.TransactionManager;
import com.gruelbox.transactionoutbox.TransactionOutbox;
import com.zaxxer.hikari.HikariDataSource;
import io.outbox.testdb.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.IntConsumer;

/**
 * gruelbox transaction-outbox. Its README asks for a background thread that flushes until nothing
 * is left and then pauses, and lets the executor be replaced; the default one has a single thread
 * until 16,384 tasks wait.
 */
final class Gruelbox implements Contestant {

  private static final int THREADS = 20;

  /** The call that is written into the outbox. */
  interface Receiver {
    void receive(int n, String text);
  }

  private final Setup setup;
  private final boolean best;
  private final HikariDataSource pool;
  private final HikariDataSource filling;
  private final ThreadLocalContextTransactionManager transactions;
  private RowCopies copies;
  private TransactionOutbox outbox;
  private ExecutorService executor;
  private Thread flusher;

  Gruelbox(boolean best, Setup setup) {
    this.setup = setup;
    this.best = best;
    this.pool = setup.pool(poolSize());
    this.filling = setup.fillingPool();
    this.transactions = TransactionManager.fromDataSource(setup.watched(pool));
  }

  private int threads() {
    return setup.inFlightOr(THREADS);
  }

  private int poolSize() {
    return best ? threads() + 8 : 10;
  }

  private long pauseMillis() {
    return best ? 100 : 60_000;
  }

  @Override
  public String settings() {
    return best
        ? "executor of %d threads, flush() until empty then pause 100 ms, flushBatchSize=4096; pool %d"
            .formatted(threads(), poolSize())
        : "defaults (default executor, flushBatchSize=4096), flush() until empty then pause 60 s as"
            + " in its README; pool "
            + poolSize();
  }

  private TransactionOutbox build(Submitter submitter, IntConsumer listener) {
    Receiver receiver = (n, text) -> listener.accept(n);
    return TransactionOutbox.builder()
        .transactionManager(transactions)
        .persistor(
            Persistor.forDialect(
                setup.kind() == TestDatabase.H2 ? Dialect.H2 : Dialect.POSTGRESQL_9))
        .instantiator(Instantiator.using(type -> receiver))
        .submitter(submitter)
        .build();
  }

  @Override
  public void prepare() throws Exception {
    startWriting(n -> {});
    transact(tx -> tx.publish(Measured.of(0, 200)));
    copies = RowCopies.of(filling, "TXNO_OUTBOX");
  }

  @Override
  public void fillWaiting(int first, int count, int bytes) throws SQLException {
    Timestamp due = Timestamp.from(Instant.now().minusSeconds(60));
    String text = Measured.of(0, 200).text();
    copies.insert(
        first,
        count,
        (row, n) -> {
          String invocation =
              String.valueOf(row.get("invocation"))
                  .replaceFirst("\"v\":0", "\"v\":" + n)
                  .replace(text, Measured.of(n, bytes).text());
          row.put("id", UUID.randomUUID().toString());
          row.put("invocation", invocation);
          row.put("nextattempttime", due);
        });
  }

  @Override
  public void start(IntConsumer listener) {
    executor = best ? Executors.newFixedThreadPool(threads()) : null;
    outbox =
        build(best ? Submitter.withExecutor(executor) : Submitter.withDefaultExecutor(), listener);
    flusher = new Thread(this::flush, "flusher");
    flusher.setDaemon(true);
    flusher.start();
  }

  private void flush() {
    try {
      while (!Thread.interrupted()) {
        while (outbox.flush()) {
          // there may be more
        }
        Thread.sleep(pauseMillis());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void startWriting(IntConsumer listener) {
    outbox = build((entry, processor) -> {}, listener);
  }

  @Override
  public void transact(Tx.Work work) throws Exception {
    transactions.inTransactionThrows(transaction -> work.run(new GruelboxTx(transaction)));
  }

  private final class GruelboxTx implements Tx {
    private final Transaction transaction;

    GruelboxTx(Transaction transaction) {
      this.transaction = transaction;
    }

    @Override
    public Connection connection() {
      return transaction.connection();
    }

    @Override
    public void publish(Measured event) {
      outbox.schedule(Receiver.class).receive(event.n(), event.text());
    }
  }

  @Override
  public long unfinished() throws SQLException {
    return Sql.number(filling, "SELECT count(*) FROM TXNO_OUTBOX");
  }

  @Override
  public void stop() throws InterruptedException {
    if (flusher != null) {
      flusher.interrupt();
      flusher.join(5_000);
    }
    if (executor != null) {
      executor.shutdownNow();
    }
  }

  @Override
  public void close() throws InterruptedException {
    stop();
    pool.close();
    filling.close();
  }
}
