package io.outbox.it;

import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.store.AbstractJdbcOutboxStore;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.jdbc.tx.JdbcTransactionManager;
import io.outbox.jdbc.tx.ThreadLocalTxContext;
import io.outbox.model.EventStatus;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.registry.ListenerRegistry;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.OutboxStore;
import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import io.outbox.testing.Await;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;

/** A fresh database with the outbox table, and all that an outbox on it needs. */
final class Scenario implements AutoCloseable {

  /** Every event of these tests has this type unless it says otherwise. */
  static final String TYPE = "Tested";

  final Database database;
  final HikariDataSource pool;
  final AbstractJdbcOutboxStore store;
  final ConnectionProvider connections;
  final ThreadLocalTxContext tx = new ThreadLocalTxContext();
  final JdbcTransactionManager transactions;
  final Deliveries deliveries = new Deliveries();
  final DefaultListenerRegistry registry = new DefaultListenerRegistry();
  private final List<AutoCloseable> toClose = new ArrayList<>();

  static {
    Awaitility.setDefaultPollDelay(Duration.ZERO);
    Awaitility.setDefaultPollInterval(Duration.ofMillis(10));
    Awaitility.setDefaultTimeout(Duration.ofSeconds(90));
  }

  private Scenario(Database database) {
    this.database = database;
    this.pool = database.pooled(20);
    pool.setMinimumIdle(2); // most tests need few, and a connection to PostgreSQL is a process
    OutboxSchema.create(pool);
    this.store = JdbcOutboxStores.detect(pool);
    this.connections = new DataSourceConnectionProvider(pool);
    this.transactions = new JdbcTransactionManager(connections, tx);
    registry.registerDefault(deliveries);
  }

  static Scenario on(TestDatabase kind) {
    return new Scenario(kind.fresh());
  }

  static Scenario on(Database database) {
    return new Scenario(database);
  }

  /** With what order by key needs, too. */
  static Scenario orderedByKeyOn(TestDatabase kind) {
    Scenario scenario = on(kind);
    OutboxSchema.createOrderedByKey(scenario.pool);
    return scenario;
  }

  /** Wired, not built. */
  Outbox.SingleNodeBuilder singleNode() {
    return wire(Outbox.singleNode());
  }

  /** Wired, not built, with a lease of {@code claimTimeout}. */
  Outbox.MultiNodeBuilder multiNode(Duration claimTimeout) {
    return wire(Outbox.multiNode()).claimLocking(claimTimeout);
  }

  Outbox.OrderedBuilder ordered() {
    return wire(Outbox.ordered());
  }

  Outbox.OrderedByKeyBuilder orderedByKey() {
    return wire(Outbox.orderedByKey());
  }

  <B extends Outbox.AbstractBuilder<B>> B wire(B builder) {
    return builder
        .connectionProvider(connections)
        .txContext(tx)
        .outboxStore(store)
        .listenerRegistry(registry);
  }

  /** Builds it, and closes it with this scenario. */
  Outbox start(Outbox.AbstractBuilder<?> builder) {
    return closing(builder.build());
  }

  /** Closes it with this scenario, what came last first. */
  <T extends AutoCloseable> T closing(T part) {
    toClose.add(0, part);
    return part;
  }

  /** For a node that shall have listeners of its own. */
  static ListenerRegistry to(EventListener listener) {
    return new DefaultListenerRegistry().registerDefault(listener);
  }

  /** Something to act on calls of the store with; give {@link Tap#proxy()} to a builder. */
  Tap<OutboxStore> storeTap() {
    return new Tap<>(OutboxStore.class, store);
  }

  /** Every outcome is written in a transaction, whose commit a test can act on. */
  static Tap<OutboxStore> withCommits(Tap<OutboxStore> store) {
    return store.on("recordsAtOnce", call -> false);
  }

  /** A writer without a hot path. */
  OutboxWriter coldWriter() {
    return Outbox.writerOnly().txContext(tx).outboxStore(store).build().writer();
  }

  static EventEnvelope event() {
    return EventEnvelope.ofJson(TYPE, "{}");
  }

  static List<EventEnvelope> events(int count) {
    List<EventEnvelope> events = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      events.add(EventEnvelope.ofJson(TYPE, "{\"n\":" + i + "}"));
    }
    return events;
  }

  /** Writes in a transaction of its own, and commits. */
  List<String> write(OutboxWriter writer, List<EventEnvelope> events) {
    return Deadlocks.retried(
        () -> {
          try (JdbcTransactionManager.Transaction transaction = transactions.begin()) {
            List<String> ids = writer.writeAll(events);
            transaction.commit();
            return ids;
          }
        });
  }

  String write(OutboxWriter writer, EventEnvelope event) {
    return write(writer, List.of(event)).get(0);
  }

  Map<EventStatus, Integer> counts() {
    Map<EventStatus, Integer> counts = new EnumMap<>(EventStatus.class);
    for (List<Object> row : query("SELECT status, COUNT(*) FROM outbox_event GROUP BY status")) {
      counts.put(
          EventStatus.fromCode(((Number) row.get(0)).intValue()), ((Number) row.get(1)).intValue());
    }
    return counts;
  }

  int count(EventStatus status) {
    return counts().getOrDefault(status, 0);
  }

  /** Waits until no event is pending, and says which are if that takes too long. */
  void awaitFinished(Duration bound) {
    Await.finished(store, connections, bound);
  }

  /** The status of one event; null if it is not there. */
  EventStatus status(String eventId) {
    List<List<Object>> rows = query("SELECT status FROM outbox_event WHERE event_id = ?", eventId);
    return rows.isEmpty() ? null : EventStatus.fromCode(((Number) rows.get(0).get(0)).intValue());
  }

  /** One column of one event. */
  Object column(String column, String eventId) {
    return query("SELECT " + column + " FROM outbox_event WHERE event_id = ?", eventId)
        .get(0)
        .get(0);
  }

  /** One column of one event that is an instant; null if it is not set. */
  Instant instant(String column, String eventId) {
    Object value = column(column, eventId);
    if (value instanceof OffsetDateTime at) {
      return at.toInstant();
    }
    return value == null ? null : ((LocalDateTime) value).toInstant(ZoneOffset.UTC);
  }

  /** The integer in one column of one event. */
  int number(String column, String eventId) {
    return ((Number) column(column, eventId)).intValue();
  }

  Instant databaseTime() {
    try (Connection conn = pool.getConnection()) {
      return store.currentTime(conn).orElseThrow();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  void awaitStatus(String eventId, EventStatus status) {
    await().until(() -> status(eventId), status::equals);
  }

  /** Waits until all these, and nothing else, are DONE. */
  void awaitAllDone(int count) {
    await().until(this::counts, Map.of(EventStatus.DONE, count)::equals);
  }

  /** As if the claim timeout of every lease had passed. */
  void endLeases() {
    update("UPDATE outbox_event SET locked_at = '2020-01-01 00:00:00' WHERE locked_by IS NOT NULL");
  }

  List<List<Object>> query(String sql, Object... parameters) {
    try (Connection conn = pool.getConnection();
        PreparedStatement statement = conn.prepareStatement(sql)) {
      bind(statement, parameters);
      List<List<Object>> rows = new ArrayList<>();
      try (ResultSet result = statement.executeQuery()) {
        while (result.next()) {
          List<Object> row = new ArrayList<>();
          for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) {
            row.add(value(result, i));
          }
          rows.add(row);
        }
      }
      return rows;
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }

  int update(String sql, Object... parameters) {
    try {
      return Deadlocks.retried(
          () -> {
            try (Connection conn = pool.getConnection();
                PreparedStatement statement = conn.prepareStatement(sql)) {
              bind(statement, parameters);
              return statement.executeUpdate();
            }
          });
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }

  /** The drivers differ in what they make of a time. */
  private static Object value(ResultSet result, int i) throws SQLException {
    return switch (result.getMetaData().getColumnType(i)) {
      case Types.TIMESTAMP_WITH_TIMEZONE -> result.getObject(i, OffsetDateTime.class);
      case Types.TIMESTAMP ->
          result.getMetaData().getColumnTypeName(i).equals("timestamptz")
              ? result.getObject(i, OffsetDateTime.class)
              : result.getObject(i, LocalDateTime.class);
      case Types.CLOB, Types.LONGVARCHAR -> result.getString(i);
      default -> result.getObject(i);
    };
  }

  private static void bind(PreparedStatement statement, Object... parameters) throws SQLException {
    for (int i = 0; i < parameters.length; i++) {
      statement.setObject(i + 1, parameters[i]);
    }
  }

  @Override
  public void close() {
    try {
      for (AutoCloseable part : toClose) {
        part.close();
      }
    } catch (Exception e) {
      throw new IllegalStateException("closing a scenario failed", e);
    } finally {
      database.close();
    }
  }
}
