package io.outbox.jdbc.store;

import io.outbox.jdbc.internal.Product;
import java.time.Clock;

/** Keeps events in H2, for tests and small programs. */
public class H2OutboxStore extends AbstractJdbcOutboxStore {

  public H2OutboxStore() {
    this(DEFAULT_TABLE);
  }

  /**
   * Uses a table of another name, which may have a schema in front.
   *
   * @throws IllegalArgumentException if it is no name of a table
   */
  public H2OutboxStore(String tableName) {
    this(tableName, Clock.systemUTC());
  }

  /** {@code clock} tells the time to the methods that are not given any. */
  public H2OutboxStore(String tableName, Clock clock) {
    super(Statements.of(Product.H2, tableName), clock);
  }

  @Override
  protected AbstractJdbcOutboxStore withTable(String tableName) {
    return new H2OutboxStore(tableName);
  }
}
