package io.outbox.jdbc.operate;

import static io.outbox.model.EventStatus.DEAD;
import static io.outbox.model.EventStatus.DONE;
import static io.outbox.model.EventStatus.NEW;
import static io.outbox.model.EventStatus.RETRY;

import io.outbox.jdbc.Addition;
import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.store.AbstractJdbcOutboxStore;
import io.outbox.jdbc.store.Target;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.operate.EventFilter;
import io.outbox.operate.EventPage;
import io.outbox.operate.EventSummary;
import io.outbox.operate.OutboxOperator;
import io.outbox.spi.OperatorStore;
import io.outbox.testdb.Database;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;

/** A table of its own for the tests of a class, and rows as they are wanted. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class OperatorContract {

  static final JdbcTemplate JDBC = new JdbcTemplate();
  static final Instant T0 = Instant.parse("2025-06-01T10:00:00.123456Z");
  static final int SCAN = 20_000;

  final Target target;
  final boolean indexed;
  AbstractJdbcOutboxStore store;
  OperatorStore operatorStore;
  OutboxOperator operator;
  DataSource dataSource;
  private Database database;

  OperatorContract(Target target) {
    this(target, false);
  }

  /** With or without the optional indexes. */
  OperatorContract(Target target, boolean indexed) {
    this.target = target;
    this.indexed = indexed;
  }

  @BeforeAll
  void createTable() {
    database = target.fresh();
    dataSource = database.pooled(8);
    OutboxSchema.create(dataSource);
    OutboxSchema.createOrderedByKey(dataSource);
    if (indexed) {
      OutboxSchema.createOperatorIndexes(dataSource, "outbox_event");
    }
  }

  /** Creates or drops the optional indexes. */
  final void setIndexes(boolean wanted) throws SQLException {
    if (wanted) {
      OutboxSchema.createOperatorIndexes(dataSource, "outbox_event");
      return;
    }
    List<String> missing =
        OutboxSchema.problems(dataSource, "outbox_event", Addition.OPERATOR_INDEXES);
    for (String name : List.of("op_aggregate", "op_key", "op_created")) {
      if (missing.stream().noneMatch(problem -> problem.contains(name))) {
        execute(target.dropIndex("outbox_event_" + name));
      }
    }
  }

  @AfterAll
  void dropTable() {
    database.close();
  }

  @BeforeEach
  void clear() throws SQLException {
    execute("DELETE FROM outbox_event");
    execute("DELETE FROM outbox_event_pause");
    execute("DELETE FROM outbox_event_audit");
    execute("DELETE FROM outbox_event_block");
    newStore();
  }

  /** One that knows nothing yet. */
  final void newStore() {
    store = target.store();
    operatorStore = store.operator().orElseThrow();
    operator = OutboxOperator.of(dataSource::getConnection, store).as("ada");
  }

  final void execute(String sql, Object... params) throws SQLException {
    try (Connection conn = dataSource.getConnection()) {
      JDBC.update(conn, sql, params);
    }
  }

  interface Work<T> {
    T on(Connection conn) throws SQLException;
  }

  final <T> T with(Work<T> work) throws SQLException {
    try (Connection conn = dataSource.getConnection()) {
      return work.on(conn);
    }
  }

  /** A row that is inserted with plain SQL. */
  final class Row {
    private final Map<String, Object> columns = new LinkedHashMap<>();

    Row(String id, EventStatus status) {
      set("event_id", id);
      set("event_type", "Tested");
      set("payload", "{}");
      set("status", status.code());
      created(T0);
      available(T0);
      if (status == DONE || status == DEAD) {
        done(T0);
      }
      if (status == DEAD || status == RETRY) {
        set("attempts", 1);
        error("broken");
      }
    }

    Row set(String column, Object value) {
      columns.put(column, value);
      return this;
    }

    Row created(Instant at) {
      return set("created_at", target.product().parameter(at));
    }

    Row available(Instant at) {
      return set("available_at", target.product().parameter(at));
    }

    Row done(Instant at) {
      return set("done_at", target.product().parameter(at));
    }

    Row leased(String owner, Instant at) {
      set("lease_no", 3);
      set("locked_at", target.product().parameter(at));
      return set("locked_by", owner);
    }

    Row type(String value) {
      return set("event_type", value);
    }

    Row error(String value) {
      return set("last_error", value);
    }

    Row aggregate(String type, String id) {
      return set("aggregate_type", type).set("aggregate_id", id);
    }

    void insert() throws SQLException {
      with(conn -> insert(conn));
    }

    private int insert(Connection conn) {
      String names = String.join(", ", columns.keySet());
      String marks =
          String.join(
              ", ",
              columns.keySet().stream()
                  .map(name -> name.equals("payload") ? "'{}'" : "?")
                  .toList());
      Object[] params =
          columns.entrySet().stream()
              .filter(column -> !column.getKey().equals("payload"))
              .map(Map.Entry::getValue)
              .toArray();
      String sql = "INSERT INTO outbox_event (" + names + ") VALUES (" + marks + ")";
      return JDBC.update(conn, sql, params);
    }
  }

  /** In one transaction. */
  final void insertAll(List<Row> rows) throws SQLException {
    try (Connection conn = dataSource.getConnection()) {
      conn.setAutoCommit(false);
      for (Row row : rows) {
        row.insert(conn);
      }
      conn.commit();
    }
  }

  final Row fresh(String id) {
    return new Row(id, NEW);
  }

  final Row retry(String id) {
    return new Row(id, RETRY);
  }

  final Row done(String id) {
    return new Row(id, DONE);
  }

  final Row dead(String id) {
    return new Row(id, DEAD);
  }

  final OutboxEvent find(String id) throws SQLException {
    return with(conn -> operatorStore.find(conn, id)).orElseThrow();
  }

  final EventPage page(EventFilter filter, String after, int limit, int scanLimit)
      throws SQLException {
    return with(conn -> operatorStore.search(conn, filter, after, limit, scanLimit));
  }

  /** The ids of all pages. */
  final List<String> all(EventFilter filter, int limit, int scanLimit) throws SQLException {
    return all(filter, null, limit, scanLimit);
  }

  /** The ids of all pages from there on. */
  final List<String> all(EventFilter filter, String from, int limit, int scanLimit)
      throws SQLException {
    List<String> ids = new ArrayList<>();
    String after = from;
    int pages = 0;
    do {
      EventPage page = page(filter, after, limit, scanLimit);
      page.events().stream().map(EventSummary::eventId).forEach(ids::add);
      after = page.next();
      if (++pages > 2_000) {
        throw new AssertionError("no end after " + ids);
      }
    } while (after != null);
    return ids;
  }

  final List<String> ids(EventFilter filter) throws SQLException {
    return all(filter, 100, SCAN);
  }
}
