package io.outbox.jdbc.store;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.internal.EventColumns;
import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.partition.PartitionRotation;
import io.outbox.jdbc.purge.H2EventPurger;
import io.outbox.jdbc.purge.MySqlEventPurger;
import io.outbox.jdbc.purge.PostgresEventPurger;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.EventPurger;
import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import javax.sql.DataSource;

/** A database and a driver to test with; its outbox table is shared by the tests of a JVM. */
public enum Target {
  H2(TestDatabase.H2, Product.H2),
  POSTGRES(TestDatabase.POSTGRES, Product.POSTGRESQL),
  /** With a table in partitions by seq. */
  POSTGRES_ROTATED(TestDatabase.POSTGRES, Product.POSTGRESQL),
  MARIADB(TestDatabase.MARIADB, Product.MYSQL),
  MARIADB_CONNECTOR_J(TestDatabase.MARIADB, Product.MYSQL),
  MYSQL(TestDatabase.MYSQL, Product.MYSQL);

  private static final JdbcTemplate JDBC = new JdbcTemplate();
  private static final long PARTITION = 10_000;

  private final TestDatabase kind;
  private final Product product;
  private Database shared;
  private DataSource dataSource;
  private Database sharedOrdered;
  private DataSource orderedDataSource;

  Target(TestDatabase kind, Product product) {
    this.kind = kind;
    this.product = product;
  }

  public Product product() {
    return product;
  }

  /** An empty database of its own, to be closed. */
  public Database fresh() {
    return kind.fresh();
  }

  /** Leads to a database through the driver of this target, a new connection each time. */
  public DataSource dataSource(Database database) {
    return this == MARIADB_CONNECTOR_J ? database.connectorJDataSource() : database.dataSource();
  }

  /** The shared database, which has an outbox table. */
  public synchronized DataSource dataSource() {
    if (dataSource == null) {
      shared = fresh();
      dataSource = dataSource(shared);
      create(dataSource);
    }
    return dataSource;
  }

  /** Another shared database, whose outbox table is ready for order by key. */
  public synchronized DataSource orderedDataSource() {
    if (orderedDataSource == null) {
      sharedOrdered = fresh();
      orderedDataSource = dataSource(sharedOrdered);
      create(orderedDataSource);
      OutboxSchema.createOrderedByKey(orderedDataSource);
    }
    return orderedDataSource;
  }

  private void create(DataSource empty) {
    if (this == POSTGRES_ROTATED) {
      new PartitionRotation("outbox_event", PARTITION, 2, Duration.ofSeconds(10)).create(empty);
    } else {
      OutboxSchema.create(empty);
    }
  }

  public Connection connect() throws SQLException {
    return dataSource().getConnection();
  }

  public AbstractJdbcOutboxStore store() {
    return store(AbstractJdbcOutboxStore.DEFAULT_TABLE);
  }

  public AbstractJdbcOutboxStore store(String table) {
    return switch (product.family()) {
      case H2, OTHER -> new H2OutboxStore(table);
      case POSTGRESQL -> new PostgresOutboxStore(table);
      case MYSQL -> new MySqlOutboxStore(table);
    };
  }

  public EventPurger purger() {
    return switch (product.family()) {
      case H2, OTHER -> new H2EventPurger();
      case POSTGRESQL -> new PostgresEventPurger();
      case MYSQL -> new MySqlEventPurger();
    };
  }

  public String dropSchema(String name) {
    return "DROP SCHEMA " + name + (product == Product.MYSQL ? "" : " CASCADE");
  }

  public String dropIndex(String name) {
    return "DROP INDEX " + name + (product == Product.MYSQL ? " ON outbox_event" : "");
  }

  public void deleteAllEvents() throws SQLException {
    try (Connection conn = connect()) {
      deleteAllEvents(conn);
    }
  }

  /** The events of a test are in two partitions, if there are any. */
  void deleteAllEvents(Connection conn) {
    JDBC.update(conn, "DELETE FROM outbox_event");
    if (this == POSTGRES_ROTATED) {
      countFrom(conn, PARTITION - 1);
    }
  }

  /** The next number of an event in partitions is the following one. */
  static void countFrom(Connection conn, long seq) {
    JDBC.query(
        conn,
        "SELECT setval(pg_get_serial_sequence('outbox_event', 'seq'), ?)",
        row -> row.getLong(1),
        seq);
  }

  public Optional<OutboxEvent> find(Connection conn, String eventId) {
    return JDBC
        .query(
            conn,
            "SELECT " + EventColumns.ALL + " FROM outbox_event WHERE event_id = ?",
            new EventColumns(product)::read,
            eventId)
        .stream()
        .findFirst();
  }

  public void setStatusCode(Connection conn, String eventId, int code) {
    JDBC.update(conn, "UPDATE outbox_event SET status = ? WHERE event_id = ?", code, eventId);
  }

  /** As somebody else's UPDATE would. */
  public void lockRow(Connection conn, String eventId) {
    JDBC.query(
        conn,
        "SELECT event_id FROM outbox_event WHERE event_id = ? FOR UPDATE",
        row -> row.getString(1),
        eventId);
  }
}
