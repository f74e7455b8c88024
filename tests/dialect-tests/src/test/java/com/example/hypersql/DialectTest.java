package com.example.hypersql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.Outbox;
import io.outbox.jdbc.Addition;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.archive.ArchivingPurger;
import io.outbox.jdbc.spi.Dialect;
import io.outbox.jdbc.store.AbstractJdbcOutboxStore;
import io.outbox.jdbc.store.DialectOutboxStore;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.jdbc.tx.JdbcTransactionManager;
import io.outbox.jdbc.tx.ThreadLocalTxContext;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.testing.Await;
import io.outbox.testing.RecordingListener;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** How a dialect is found, what it offers, and what it refuses. */
class DialectTest {

  private static final Duration BOUND = Duration.ofSeconds(60);

  private final DataSource dataSource = HyperSql.shared().dataSource;

  @Test
  void aRegisteredDialectIsFound() {
    assertThat(JdbcOutboxStores.detect(dataSource))
        .isInstanceOf(DialectOutboxStore.class)
        .hasToString("DialectOutboxStore[outbox_event]");
    assertThat(JdbcOutboxStores.detect(dataSource, "app.events"))
        .hasToString("DialectOutboxStore[app.events]");
  }

  @Test
  void whatIsWrittenIsDelivered() throws SQLException {
    HyperSql.shared().deleteAllEvents();
    RecordingListener listener = new RecordingListener();
    // snippet: dialect-use
    OutboxSchema.create(dataSource); // runs ddl() of the dialect
    AbstractJdbcOutboxStore store = JdbcOutboxStores.detect(dataSource);
    ThreadLocalTxContext txContext = new ThreadLocalTxContext();
    JdbcTransactionManager transactions =
        new JdbcTransactionManager(new DataSourceConnectionProvider(dataSource), txContext);
    try (Outbox outbox =
        Outbox.multiNode()
            .claimLocking(Duration.ofMinutes(5))
            .connectionProvider(new DataSourceConnectionProvider(dataSource))
            .txContext(txContext)
            .outboxStore(store)
            .listenerRegistry(new DefaultListenerRegistry().register("OrderPlaced", listener))
            .build()) {
      try (JdbcTransactionManager.Transaction tx = transactions.begin()) {
        outbox.writer().write("OrderPlaced", "{}");
        tx.commit();
      }
      listener.awaitCount(1, BOUND);
    }
    // end
    Await.finished(store, dataSource::getConnection, BOUND);
  }

  @Test
  void theSchemaIsCreatedOnceAndChecked() throws SQLException {
    DataSource fresh = HyperSql.empty("schema");
    assertThat(OutboxSchema.problems(fresh, "orders_outbox"))
        .containsExactly("the table is missing");
    OutboxSchema.create(fresh, "orders_outbox");
    OutboxSchema.create(fresh, "orders_outbox");
    OutboxSchema.migrate(fresh, "orders_outbox");
    OutboxSchema.validate(fresh, "orders_outbox");
    assertThat(OutboxSchema.problems(fresh, "orders_outbox", Addition.MEMBERS)).isEmpty();
    assertThat(OutboxSchema.problems(fresh, "orders_outbox", Addition.SUBSCRIPTIONS)).isEmpty();
    assertThat(OutboxSchema.problems(fresh, "orders_outbox", Addition.WAITING)).isEmpty();

    try (Connection conn = fresh.getConnection()) {
      conn.createStatement().execute("DROP INDEX orders_outbox_waiting");
      conn.createStatement().execute("ALTER TABLE orders_outbox DROP COLUMN partition_key");
    }
    assertThatThrownBy(() -> OutboxSchema.migrate(fresh, "orders_outbox"))
        .isInstanceOf(OutboxStoreException.class)
        .hasMessageContaining("column partition_key is missing")
        .hasMessageContaining("index orders_outbox_waiting is missing")
        .hasMessageContaining("ddl() of the dialect " + HyperSqlDialect.class.getName());
  }

  @Test
  void R17_whatADialectDoesNotOfferIsRefusedAtTheStart() throws SQLException {
    AbstractJdbcOutboxStore store = HyperSql.shared().store;
    Outbox.OrderedByKeyBuilder byKey =
        Outbox.orderedByKey()
            .connectionProvider(new DataSourceConnectionProvider(dataSource))
            .txContext(new ThreadLocalTxContext())
            .outboxStore(store)
            .listenerRegistry(new DefaultListenerRegistry());
    assertThatThrownBy(byKey::build)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("orderedByKey() needs a store with lanes")
        .hasMessageContaining(store.toString());
    assertThat(store.operator()).isEmpty();
    assertThatThrownBy(() -> OutboxSchema.createOrderedByKey(dataSource))
        .isInstanceOf(OutboxStoreException.class)
        .hasMessageContaining("does not offer order by key");
    assertThatThrownBy(() -> OutboxSchema.createOperator(dataSource))
        .hasMessageContaining("does not offer the tables for an operator");
    try (Connection conn = dataSource.getConnection()) {
      assertThatThrownBy(
              () -> ArchivingPurger.toTable("outbox_event").purge(conn, Instant.now(), 1))
          .hasMessageContaining("there is no archive for this database");
    }
  }

  /** Knows the database, and is wrong. */
  private static class WrongDialect implements Dialect {
    @Override
    public boolean supports(DatabaseMetaData database) {
      return true;
    }
  }

  @Test
  void R17_aWrongDialectIsRefusedByName() {
    Dialect noLimit =
        new WrongDialect() {
          @Override
          public String limit() {
            return "";
          }
        };
    Dialect tooManyRows =
        new WrongDialect() {
          @Override
          public int rowsPerInsert() {
            return 129;
          }
        };
    Dialect oldTable =
        new WrongDialect() {
          @Override
          public String ddl() {
            return super.ddl().replace("waiting_since", "waiting");
          }
        };
    assertThatThrownBy(() -> new DialectOutboxStore(noLimit))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(noLimit.getClass().getName())
        .hasMessageContaining("limit() has 0 parameters instead of 1");
    assertThatThrownBy(() -> new DialectOutboxStore(tooManyRows))
        .hasMessageContaining("rowsPerInsert() is 129");
    assertThatThrownBy(() -> new DialectOutboxStore(oldTable))
        .hasMessageContaining("ddl() has no columns [waiting_since]");
    assertThatThrownBy(() -> new DialectOutboxStore(null)).hasMessageContaining("dialect");
  }
}
