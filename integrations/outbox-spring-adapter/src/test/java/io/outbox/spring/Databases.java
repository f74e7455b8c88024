package io.outbox.spring;

import io.outbox.jdbc.OutboxSchema;
import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import java.util.EnumMap;
import java.util.Map;
import javax.sql.DataSource;
import org.springframework.jdbc.core.JdbcTemplate;

/** One database of each kind, with an empty outbox, for all tests of a class. */
final class Databases implements AutoCloseable {

  private final Map<TestDatabase, Database> databases = new EnumMap<>(TestDatabase.class);
  private final Map<TestDatabase, DataSource> pools = new EnumMap<>(TestDatabase.class);

  DataSource pool(TestDatabase kind) {
    DataSource pool = pools.computeIfAbsent(kind, this::create);
    new JdbcTemplate(pool).update("DELETE FROM outbox_event");
    return pool;
  }

  private DataSource create(TestDatabase kind) {
    Database database = kind.fresh();
    databases.put(kind, database);
    DataSource pool = database.pooled(8);
    OutboxSchema.create(pool);
    return pool;
  }

  /** Opens a connection of its own each time. */
  DataSource unpooled(TestDatabase kind) {
    return databases.get(kind).dataSource();
  }

  /** Afterwards there are new ones, for the next class. */
  @Override
  public void close() {
    databases.values().forEach(Database::close);
    databases.clear();
    pools.clear();
  }
}
