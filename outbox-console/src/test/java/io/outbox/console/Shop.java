package io.outbox.console;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.OutageException;
import io.outbox.Outbox;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.archive.ArchivingPurger;
import io.outbox.jdbc.archive.EventArchive;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.jdbc.tx.JdbcTransactionManager;
import io.outbox.jdbc.tx.ThreadLocalTxContext;
import io.outbox.model.EventStatus;
import io.outbox.operate.OutboxOperator;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.OutboxStore;
import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import javax.sql.DataSource;

/** An outbox that delivers, on a real table, and the console before it. */
final class Shop implements AutoCloseable {

  /** Errors by event id: what has one fails. */
  final Map<String, String> broken = new ConcurrentHashMap<>();

  /** Why nothing can be delivered; null if it can. */
  volatile String outage;

  private final Database database = TestDatabase.H2.fresh();
  private final DataSource dataSource = database.pooled(12);
  private final JdbcTransactionManager transactions;
  private final Outbox outbox;
  private final OutboxConsole console;

  Shop(UnaryOperator<OutboxConsole.Builder> settings) {
    OutboxSchema.create(dataSource);
    OutboxSchema.createArchive(dataSource, "outbox_event");
    DataSourceConnectionProvider connections = new DataSourceConnectionProvider(dataSource);
    ThreadLocalTxContext context = new ThreadLocalTxContext();
    transactions = new JdbcTransactionManager(connections, context);
    DefaultListenerRegistry listeners = new DefaultListenerRegistry();
    listeners.registerDefault(this::deliver);
    for (String name : List.of("send-mail", "webhook")) {
      listeners.subscribe("Order", "OrderShipped", name, event -> deliver(event, name));
    }
    outbox =
        Outbox.singleNode()
            .connectionProvider(connections)
            .txContext(context)
            .outboxStore(JdbcOutboxStores.detect(dataSource))
            .listenerRegistry(listeners)
            .maxAttempts(1)
            .intervalMs(200)
            .build();
    OutboxStore store = JdbcOutboxStores.detect(dataSource);
    console =
        settings
            .apply(
                OutboxConsole.builder()
                    .operator("orders", OutboxOperator.of(connections, store))
                    .archive("orders", EventArchive.ofTable(connections, store))
                    .port(0)
                    .refreshInterval(Duration.ofMillis(300)))
            .build()
            .start();
  }

  private DispatchResult deliver(EventEnvelope event) {
    return deliver(event, "");
  }

  /** For a subscription what is broken is named with it. */
  private DispatchResult deliver(EventEnvelope event, String subscription) {
    if (outage != null) {
      throw new OutageException(outage);
    }
    String error = broken.get(event.eventId() + subscription);
    if (error != null) {
      throw new IllegalStateException(error);
    }
    return DispatchResult.done();
  }

  TestClient client() {
    return new TestClient(console);
  }

  /** Moves all finished events to the archive. */
  void archiveFinished() throws SQLException {
    try (Connection conn = dataSource.getConnection()) {
      ArchivingPurger.toTable("outbox_event").purge(conn, Instant.now().plusSeconds(60), 1000);
    }
  }

  void execute(String sql) throws SQLException {
    try (Connection conn = dataSource.getConnection();
        Statement statement = conn.createStatement()) {
      statement.execute(sql);
    }
  }

  String url(String page) {
    return console.url() + "#/orders/" + page;
  }

  void write(EventEnvelope... events) throws SQLException {
    try (var tx = transactions.begin()) {
      outbox.writer().writeAll(List.of(events));
      tx.commit();
    }
  }

  /** Events that are dead already, for the same reason. */
  void writeDead(int count, String error) throws SQLException {
    outbox.stop();
    for (int from = 0; from < count; from += 1000) {
      write(
          IntStream.range(from, Math.min(count, from + 1000))
              .mapToObj(i -> EventEnvelope.ofJson("OrderPlaced", "{\"n\": " + i + "}"))
              .toArray(EventEnvelope[]::new));
    }
    try (Connection conn = dataSource.getConnection();
        PreparedStatement update =
            conn.prepareStatement(
                "UPDATE outbox_event SET status = 3, attempts = 3, last_error = ?,"
                    + " done_at = created_at")) {
      update.setString(1, error);
      update.executeUpdate();
    }
    outbox.start();
  }

  long count(EventStatus status) {
    try (Connection conn = dataSource.getConnection();
        PreparedStatement query =
            conn.prepareStatement("SELECT count(*) FROM outbox_event WHERE status = ?")) {
      query.setInt(1, status.code());
      try (ResultSet result = query.executeQuery()) {
        result.next();
        return result.getLong(1);
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    console.close();
    outbox.close();
    database.close();
  }
}
