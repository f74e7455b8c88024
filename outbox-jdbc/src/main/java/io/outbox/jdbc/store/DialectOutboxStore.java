package io.outbox.jdbc.store;

import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.internal.finished.OldRows;
import io.outbox.jdbc.spi.Dialect;
import io.outbox.spi.EventPurger;
import java.time.Clock;
import java.util.Objects;

/**
 * Keeps events in a database that only its {@link Dialect} knows. It has no lanes and no tables for
 * an operator; {@code orderedByKey()} refuses to start.
 */
public class DialectOutboxStore extends AbstractJdbcOutboxStore {

  private final Dialect dialect;

  /**
   * Uses the table {@code outbox_event}.
   *
   * @throws IllegalArgumentException if the dialect contradicts itself
   */
  public DialectOutboxStore(Dialect dialect) {
    this(dialect, DEFAULT_TABLE);
  }

  /**
   * Uses a table of another name, which may have a schema in front.
   *
   * @throws IllegalArgumentException if it is no name of a table, or the dialect contradicts itself
   */
  public DialectOutboxStore(Dialect dialect, String tableName) {
    this(dialect, tableName, Clock.systemUTC());
  }

  /** {@code clock} tells the time to the methods that are not given any. */
  public DialectOutboxStore(Dialect dialect, String tableName, Clock clock) {
    super(statements(dialect, tableName, clock), clock);
    this.dialect = dialect;
  }

  private static Statements statements(Dialect dialect, String tableName, Clock clock) {
    Objects.requireNonNull(dialect, "dialect");
    Objects.requireNonNull(tableName, "tableName");
    Objects.requireNonNull(clock, "clock");
    return Statements.of(Product.of(dialect), tableName);
  }

  @Override
  protected AbstractJdbcOutboxStore withTable(String tableName) {
    return new DialectOutboxStore(dialect, tableName);
  }

  /** Deletes DONE and DEAD events that ended long ago. */
  public EventPurger purger() {
    return OldRows.finished(context().product, context().table, OldRows.PURGE)::purge;
  }

  /** Deletes events that were created long ago, whatever their status, for {@code writerOnly()}. */
  public EventPurger ageBasedPurger() {
    return OldRows.aged(context().product, context().table)::purge;
  }
}
