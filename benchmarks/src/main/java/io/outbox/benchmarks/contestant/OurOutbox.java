package io.outbox.benchmarks.contestant;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.DispatchResult;
import io.outbox.Outbox;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.jdbc.tx.JdbcTransactionManager;
import io.outbox.jdbc.tx.ThreadLocalTxContext;
import io.outbox.registry.DefaultListenerRegistry;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import javax.sql.DataSource;

/**
 * Our outbox at its defaults. Only where many listeners shall run it is given as many workers, or,
 * if the listener answers later, is allowed as many unanswered events.
 */
final class OurOutbox implements Contestant {

  private static final int POOL = 10;

  enum Mode {
    SINGLE_NODE,
    MULTI_NODE,
    ORDERED,
    ORDERED_BY_KEY
  }

  private final Mode mode;
  private final boolean async;
  private final Setup setup;
  private final ScheduledExecutorService answers = Executors.newScheduledThreadPool(1);
  private final OutboxTable table;
  private final HikariDataSource pool;
  private final DataSourceConnectionProvider connections;
  private final ThreadLocalTxContext tx = new ThreadLocalTxContext();
  private final JdbcTransactionManager transactions;
  private Outbox outbox;

  OurOutbox(Mode mode, boolean async, Setup setup) {
    this(mode, async, Keys.NONE, setup);
  }

  /** Ordered by key. */
  OurOutbox(Keys keys, Setup setup) {
    this(Mode.ORDERED_BY_KEY, false, keys, setup);
  }

  private OurOutbox(Mode mode, boolean async, Keys keys, Setup setup) {
    this.mode = mode;
    this.async = async;
    this.setup = setup;
    this.table = new OutboxTable(setup, keys);
    this.pool = setup.pool(POOL);
    DataSource watched = setup.watched(pool);
    this.connections = new DataSourceConnectionProvider(watched);
    this.transactions = new JdbcTransactionManager(connections, tx);
  }

  @Override
  public String settings() {
    String workers =
        setup.inFlight() > 0 && mode != Mode.ORDERED
            ? (async ? "AsyncEventListener, maxInFlight=" : "workerCount=")
                + setup.inFlight()
                + ", else defaults"
            : "defaults";
    return switch (mode) {
      case SINGLE_NODE -> "singleNode(), " + workers + "; pool " + POOL;
      case MULTI_NODE -> "multiNode(), claimLocking=5m, " + workers + "; pool " + POOL;
      case ORDERED -> "ordered(), " + workers + "; pool " + POOL;
      case ORDERED_BY_KEY -> "orderedByKey(), " + workers + "; pool " + POOL;
    };
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
  public void fillPaused(int count) throws SQLException {
    table.fillPaused(count);
  }

  @Override
  public void start(IntConsumer listener) {
    outbox =
        switch (mode) {
          case SINGLE_NODE -> delivering(Outbox.singleNode(), listener);
          case MULTI_NODE ->
              delivering(Outbox.multiNode().claimLocking(Duration.ofMinutes(5)), listener);
          case ORDERED -> wire(Outbox.ordered(), listener).build();
          case ORDERED_BY_KEY -> delivering(Outbox.orderedByKey(), listener);
        };
  }

  @Override
  public void startWriting(IntConsumer listener) {
    outbox = wire(Outbox.writerOnly(), listener).build();
  }

  private <B extends Outbox.ConcurrentBuilder<B>> Outbox delivering(
      B builder, IntConsumer listener) {
    if (setup.inFlight() > 0) {
      if (async) {
        builder.maxInFlight(setup.inFlight());
      } else {
        builder.workerCount(setup.inFlight());
      }
    }
    return wire(builder, listener).build();
  }

  private <B extends Outbox.AbstractBuilder<B>> B wire(B builder, IntConsumer listener) {
    return builder
        .connectionProvider(connections)
        .txContext(tx)
        .outboxStore(JdbcOutboxStores.detect(pool))
        .listenerRegistry(async ? answeringLater(listener) : answering(listener));
  }

  private static DefaultListenerRegistry answering(IntConsumer listener) {
    return new DefaultListenerRegistry()
        .registerDefault(
            event -> {
              listener.accept(Measured.numberIn(event.payloadJson()));
              return DispatchResult.done();
            });
  }

  private DefaultListenerRegistry answeringLater(IntConsumer listener) {
    return new DefaultListenerRegistry()
        .registerDefaultAsync(
            event -> {
              int n = Measured.numberIn(event.payloadJson());
              CompletableFuture<DispatchResult> answer = new CompletableFuture<>();
              answers.schedule(
                  () -> {
                    listener.accept(n);
                    answer.complete(DispatchResult.done());
                  },
                  setup.listenerMillis(),
                  TimeUnit.MILLISECONDS);
              return answer;
            });
  }

  @Override
  public void transact(Tx.Work work) throws Exception {
    transactions.<Exception>run(t -> work.run(new OurTx()));
  }

  private final class OurTx implements Tx {
    @Override
    public Connection connection() {
      return tx.currentConnection();
    }

    @Override
    public void publish(Measured event) {
      outbox.writer().write(OutboxTable.envelope(event));
    }

    @Override
    public void publishAll(List<Measured> events) {
      outbox.writer().writeAll(events.stream().map(OutboxTable::envelope).toList());
    }
  }

  @Override
  public long unfinished() throws SQLException {
    return table.unfinished();
  }

  @Override
  public boolean isFinished() throws SQLException {
    return table.isFinished();
  }

  @Override
  public void stop() {
    if (outbox != null) {
      outbox.close();
    }
  }

  @Override
  public void close() {
    stop();
    answers.shutdownNow();
    pool.close();
    table.close();
  }
}
