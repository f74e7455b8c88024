package io.outbox.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.jdbc.tx.JdbcTransactionManager;
import io.outbox.jdbc.tx.ThreadLocalTxContext;
import io.outbox.jooq.JooqTransactions;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.ConnectionProvider;
import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import io.outbox.testing.RecordingListener;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jooq.Configuration;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.TransactionListener;
import org.jooq.exception.DataAccessException;
import org.jooq.impl.DSL;
import org.jooq.impl.DefaultConfiguration;
import org.jooq.impl.DefaultTransactionListenerProvider;
import org.junit.jupiter.api.Test;

/** jOOQ's transactions, without a framework. */
class JooqTest extends LibraryContract {

  @Override
  Library start(Database database) {
    SQLDialect dialect = database.kind() == TestDatabase.H2 ? SQLDialect.H2 : SQLDialect.POSTGRES;
    DataSource dataSource = database.pooled(10);
    OutboxSchema.create(dataSource);
    RecordingListener delivered = new RecordingListener();
    DefaultListenerRegistry listeners = new DefaultListenerRegistry().registerDefault(delivered);

    // snippet: jooq-plain
    ConnectionProvider connections = new DataSourceConnectionProvider(dataSource);
    ThreadLocalTxContext txContext = new ThreadLocalTxContext();
    DSLContext dsl =
        DSL.using(
            JooqTransactions.configure(
                new DefaultConfiguration().set(dialect), connections, txContext));
    Outbox outbox =
        Outbox.singleNode()
            .connectionProvider(connections)
            .txContext(txContext)
            .outboxStore(JdbcOutboxStores.detect(dataSource))
            .listenerRegistry(listeners)
            .build();
    // end
    return new JooqLibrary(dsl, outbox.writer(), delivered, outbox::close);
  }

  @Test
  void theCodeOfThePageWorks() {
    try (Database database = TestDatabase.H2.fresh();
        Library library = start(database)) {
      DSLContext dsl = ((JooqLibrary) library).dsl();
      OutboxWriter writer = library.writer();
      dsl.execute("CREATE TABLE orders (id VARCHAR(64) PRIMARY KEY)");

      // snippet: jooq-transaction
      dsl.transaction(
          tx -> {
            tx.dsl().execute("INSERT INTO orders (id) VALUES (?)", "A-17");
            writer.write("OrderPlaced", "{\"orderId\": \"A-17\"}");
            try {
              tx.dsl()
                  .transaction( // a savepoint
                      inner -> {
                        writer.write("GiftAdded", "{\"orderId\": \"A-17\"}");
                        inner.dsl().execute("INSERT INTO orders (id) VALUES (?)", "A-17");
                      });
            } catch (DataAccessException e) {
              // there is no gift, and no event of it; the order stays
            }
          });
      // end

      library.delivered().awaitCount(1, Duration.ofSeconds(60));
      assertThat(library.delivered().deliveries())
          .extracting(delivery -> delivery.event().eventType())
          .containsExactly("OrderPlaced");
    }
  }

  @Test
  void jooqItselfRefusesTransactionsWithoutAnArgument() {
    try (Database database = TestDatabase.H2.fresh();
        Library library = start(database)) {
      DSLContext dsl = ((JooqLibrary) library).dsl();

      assertThatThrownBy(() -> dsl.transaction(() -> {}))
          .hasMessageContaining("TransactionProvider");
    }
  }

  /** For applications that begin some transactions by hand. */
  @Test
  void statementsJoinATransactionThatWasBegunByHand() throws Exception {
    try (Database database = TestDatabase.H2.fresh()) {
      ConnectionProvider connections = new DataSourceConnectionProvider(database.pooled(2));
      ThreadLocalTxContext txContext = new ThreadLocalTxContext();
      DSLContext dsl =
          DSL.using(
              JooqTransactions.configure(
                  new DefaultConfiguration().set(SQLDialect.H2), connections, txContext));
      dsl.execute("CREATE TABLE orders (id VARCHAR(64) PRIMARY KEY)");

      try (var tx = new JdbcTransactionManager(connections, txContext).begin()) {
        dsl.execute("INSERT INTO orders (id) VALUES ('A-17')");
        tx.rollback();
      }

      assertThat(dsl.fetchCount(DSL.table("orders"))).isZero();
    }
  }

  /** H2 with a table of orders; {@code connections} may fail as they like. */
  private static DSLContext ordersOf(ConnectionProvider connections, TransactionListener... all) {
    DefaultTransactionListenerProvider[] listeners =
        Stream.of(all)
            .map(DefaultTransactionListenerProvider::new)
            .toArray(DefaultTransactionListenerProvider[]::new);
    DSLContext dsl =
        DSL.using(
            JooqTransactions.configure(
                new DefaultConfiguration().set(SQLDialect.H2).set(listeners),
                connections,
                new ThreadLocalTxContext()));
    dsl.execute("CREATE TABLE orders (id VARCHAR(64) PRIMARY KEY)");
    return dsl;
  }

  @Test
  void aListenerThatFailsDoesNotLeaveTheThreadInTheTransaction() {
    try (Database database = TestDatabase.H2.fresh()) {
      ConnectionProvider connections = new DataSourceConnectionProvider(database.pooled(2));
      IllegalStateException ofTheListener = new IllegalStateException("the listener failed");
      DSLContext dsl =
          ordersOf(
              connections,
              TransactionListener.onRollbackStart(
                  context -> {
                    throw ofTheListener;
                  }));
      IllegalArgumentException ofTheWork = new IllegalArgumentException("the work failed");

      assertThatThrownBy(
              () ->
                  dsl.transaction(
                      tx -> {
                        tx.dsl().execute("INSERT INTO orders (id) VALUES ('A-17')");
                        throw ofTheWork;
                      }))
          .isSameAs(ofTheWork)
          .hasSuppressedException(ofTheListener);
      dsl.transaction(tx -> tx.dsl().execute("INSERT INTO orders (id) VALUES ('A-18')"));

      assertThat(idsSeenFromOutside(connections)).isEqualTo("A-18");
    }
  }

  @Test
  void whatCannotBeRolledBackAloneIsNotCommittedInHalf() {
    try (Database database = TestDatabase.H2.fresh()) {
      DataSource pool = database.pooled(2);
      DSLContext dsl = ordersOf(() -> withoutRollbackToSavepoints(pool.getConnection()));

      assertThatThrownBy(
              () ->
                  dsl.transaction(
                      tx -> {
                        assertThatThrownBy(() -> tx.dsl().transaction(JooqTest::insertAndFail))
                            .hasMessage("the work failed");
                        tx.dsl().execute("INSERT INTO orders (id) VALUES ('A-18')");
                      }))
          .hasMessageContaining("could not be rolled back alone")
          .hasRootCauseMessage("no rollback to a savepoint");

      assertThat(idsSeenFromOutside(new DataSourceConnectionProvider(pool))).isNull();
      dsl.transaction(tx -> tx.dsl().execute("INSERT INTO orders (id) VALUES ('A-19')"));
      assertThat(idsSeenFromOutside(new DataSourceConnectionProvider(pool))).isEqualTo("A-19");
    }
  }

  private static void insertAndFail(Configuration tx) {
    tx.dsl().execute("INSERT INTO orders (id) VALUES ('A-17')");
    throw new IllegalArgumentException("the work failed");
  }

  private static Connection withoutRollbackToSavepoints(Connection connection) {
    return (Connection)
        Proxy.newProxyInstance(
            Connection.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("rollback") && arguments != null) {
                throw new SQLException("no rollback to a savepoint");
              }
              return method.invoke(connection, arguments);
            });
  }

  private static String idsSeenFromOutside(ConnectionProvider connections) {
    try (Connection connection = connections.getConnection()) {
      return (String)
          DSL.using(connection, SQLDialect.H2).fetchValue("SELECT listagg(id, ' ') FROM orders");
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
