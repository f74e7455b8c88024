package io.outbox.jdbc.internal.schema;

import io.outbox.internal.tx.OwnTransaction;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.internal.TableName;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Function;
import javax.sql.DataSource;

/** Connections for work on the schema of one table. */
public final class SchemaAccess {

  private static final Logger LOG = PrintableLogger.named("io.outbox.jdbc.OutboxSchema");

  private static final int ATTEMPTS = 5;
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final DataSource dataSource;
  private final TableName table;

  public SchemaAccess(DataSource dataSource, String tableName) {
    this.table = TableName.of(tableName);
    this.dataSource = Objects.requireNonNull(dataSource, "dataSource");
  }

  /** In one transaction, if the database has transactions for DDL. */
  public <T> T ask(Function<SchemaTool, T> question) {
    try (OwnTransaction own = OwnTransaction.begin(dataSource::getConnection)) {
      T answer = question.apply(tool(own.connection()));
      own.commit();
      return answer;
    } catch (SQLException e) {
      throw failed(e);
    }
  }

  /** As {@link #ask}. */
  public void run(Consumer<SchemaTool> work) {
    ask(
        tool -> {
          work.accept(tool);
          return null;
        });
  }

  /** Without a transaction, and persistently. */
  public void runBesideWriters(Consumer<SchemaTool> work) {
    persistently(() -> runWithoutTransaction(work));
  }

  /** Nodes that start together get in each other's way, but each time one of them gets on. */
  public static void persistently(Runnable work) {
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    for (int attempt = 1; ; attempt++) {
      try {
        work.run();
        return;
      } catch (OutboxStoreException e) {
        if (attempt == ATTEMPTS || System.nanoTime() - deadline > 0) {
          throw e;
        }
      }
      LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(attempt * PAUSE_NANOS));
    }
  }

  private void runWithoutTransaction(Consumer<SchemaTool> work) {
    try (Connection conn = dataSource.getConnection()) {
      boolean autoCommit = conn.getAutoCommit();
      conn.setAutoCommit(true);
      try {
        work.accept(tool(conn));
      } finally {
        restore(conn, autoCommit);
      }
    } catch (SQLException e) {
      throw failed(e);
    }
  }

  private static void restore(Connection conn, boolean autoCommit) {
    try {
      conn.setAutoCommit(autoCommit);
    } catch (SQLException e) {
      LOG.log(Level.DEBUG, "auto-commit could not be restored on a broken connection", e);
    }
  }

  private SchemaTool tool(Connection conn) throws SQLException {
    DatabaseMetaData database = conn.getMetaData();
    Optional<Product> product = Product.of(database);
    if (product.isEmpty()) {
      throw new OutboxStoreException(
          "no outbox schema for %s %s. To use it, name an implementation of"
                  .formatted(
                      database.getDatabaseProductName(), database.getDatabaseProductVersion())
              + " io.outbox.jdbc.spi.Dialect in META-INF/services");
    }
    return new SchemaTool(conn, product.get(), table);
  }

  private OutboxStoreException failed(SQLException e) {
    return new OutboxStoreException(
        "could not work on the schema of table " + table + ": " + e.getMessage(), e);
  }
}
