package io.outbox.jdbc.store;

import io.outbox.jdbc.OutboxStoreException;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.ServiceLoader;
import javax.sql.DataSource;

/**
 * Finds the store for a database among the stores registered with {@link ServiceLoader}; foreign
 * stores take precedence over ours.
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
      for (AbstractJdbcOutboxStore store : registered()) {
        if (store.supports(database)) {
          return withTable(store, tableName);
        }
      }
      throw new OutboxStoreException(
          "no outbox store for "
              + database.getDatabaseProductName()
              + " "
              + database.getDatabaseProductVersion()
              + "; known are "
              + registered());
    } catch (SQLException e) {
      throw new OutboxStoreException("could not find out which database it is: " + e, e);
    }
  }

  /** Or a subclass would silently be replaced by what it extends. */
  private static AbstractJdbcOutboxStore withTable(
      AbstractJdbcOutboxStore store, String tableName) {
    AbstractJdbcOutboxStore made = store.withTable(tableName);
    if (made.getClass() != store.getClass()) {
      throw new OutboxStoreException(
          store.getClass().getName()
              + " must override withTable and return its own class, not "
              + made.getClass().getName());
    }
    return made;
  }

  private static List<AbstractJdbcOutboxStore> registered() {
    List<AbstractJdbcOutboxStore> stores = new ArrayList<>();
    ServiceLoader.load(
            AbstractJdbcOutboxStore.class, AbstractJdbcOutboxStore.class.getClassLoader())
        .forEach(stores::add);
    stores.sort(Comparator.comparing(JdbcOutboxStores::isOurs));
    return stores;
  }

  private static boolean isOurs(AbstractJdbcOutboxStore store) {
    return store.getClass().getPackage().equals(JdbcOutboxStores.class.getPackage());
  }
}
