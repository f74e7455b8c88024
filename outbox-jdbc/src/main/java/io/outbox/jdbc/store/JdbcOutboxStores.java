package io.outbox.jdbc.store;

import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.internal.dialect.Dialects;
import io.outbox.jdbc.spi.Dialect;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.ServiceLoader;
import javax.sql.DataSource;

/**
 * Finds the store for a database among the stores and the {@linkplain Dialect dialects} registered
 * with {@link ServiceLoader}; foreign ones take precedence over ours.
 */
public final class JdbcOutboxStores {

  private JdbcOutboxStores() {}

  /** The store for the table {@code outbox_event}. */
  public static AbstractJdbcOutboxStore detect(DataSource dataSource) {
    return detect(dataSource, AbstractJdbcOutboxStore.DEFAULT_TABLE);
  }

  /**
   * The store for a table of another name.
   *
   * @throws OutboxStoreException if no store knows the database
   * @throws IllegalArgumentException if it is no name of a table
   */
  public static AbstractJdbcOutboxStore detect(DataSource dataSource, String tableName) {
    try (Connection conn = Objects.requireNonNull(dataSource, "dataSource").getConnection()) {
      DatabaseMetaData database = conn.getMetaData();
      List<AbstractJdbcOutboxStore> stores = registered();
      Optional<AbstractJdbcOutboxStore> foreign = supporting(database, stores, false, tableName);
      if (foreign.isPresent()) {
        return foreign.get();
      }
      Optional<Dialect> dialect = Dialects.of(database);
      if (dialect.isPresent()) {
        return new DialectOutboxStore(dialect.get(), tableName);
      }
      Optional<AbstractJdbcOutboxStore> ours = supporting(database, stores, true, tableName);
      if (ours.isPresent()) {
        return ours.get();
      }
      throw new OutboxStoreException(
          "no outbox store for %s %s; known are %s. To use it, name an implementation of %s in %s"
              .formatted(
                  database.getDatabaseProductName(),
                  database.getDatabaseProductVersion(),
                  stores,
                  Dialect.class.getName(),
                  "META-INF/services"));
    } catch (SQLException e) {
      throw new OutboxStoreException("could not find out which database it is: " + e, e);
    }
  }

  private static Optional<AbstractJdbcOutboxStore> supporting(
      DatabaseMetaData database,
      List<AbstractJdbcOutboxStore> stores,
      boolean ours,
      String tableName)
      throws SQLException {
    for (AbstractJdbcOutboxStore store : stores) {
      if (isOurs(store) == ours && store.supports(database)) {
        return Optional.of(withTable(store, tableName));
      }
    }
    return Optional.empty();
  }

  /** Or a subclass would silently be replaced by what it extends. */
  private static AbstractJdbcOutboxStore withTable(
      AbstractJdbcOutboxStore store, String tableName) {
    AbstractJdbcOutboxStore made = store.withTable(tableName);
    if (made.getClass() != store.getClass()) {
      throw new OutboxStoreException(
          "%s must override withTable and return its own class, not %s"
              .formatted(store.getClass().getName(), made.getClass().getName()));
    }
    return made;
  }

  private static List<AbstractJdbcOutboxStore> registered() {
    List<AbstractJdbcOutboxStore> stores = new ArrayList<>();
    ServiceLoader.load(
            AbstractJdbcOutboxStore.class, AbstractJdbcOutboxStore.class.getClassLoader())
        .forEach(stores::add);
    return stores;
  }

  private static boolean isOurs(AbstractJdbcOutboxStore store) {
    return store.getClass().getPackage().equals(JdbcOutboxStores.class.getPackage());
  }
}
