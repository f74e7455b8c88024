package io.outbox.inbox;

import io.outbox.internal.tx.OwnTransaction;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.EventPurger;
import io.outbox.spi.TxContext;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Instant;
import java.util.Objects;
import javax.sql.DataSource;

/**
 * Remembers which events a consumer has processed, in the consumer's own database and transaction,
 * and so recognizes an event that is delivered again. See {@link InboxSchema} for its table.
 * Thread-safe.
 */
public final class Inbox {

  private final InboxRows rows;
  private final Transactions transactions;

  private Inbox(InboxRows rows, Transactions transactions) {
    this.rows = rows;
    this.transactions = transactions;
  }

  public static Builder builder() {
    return new Builder();
  }

  /**
   * Runs {@code action} unless this consumer has processed the event. If another transaction is
   * processing the same event, waits for its end: after a commit the event is a duplicate, after a
   * rollback {@code action} runs here.
   *
   * <p>If {@code action} throws, the event does not count as processed. An inbox with its own
   * transactions has then rolled back everything. An inbox in the caller's transaction has not:
   * roll that transaction back.
   *
   * @param eventId at most 255 characters
   * @param consumer its name, at most 128 characters; each consumer processes an event once
   * @return whether {@code action} ran; false for a duplicate
   * @throws X what {@code action} throws
   * @throws InboxException if the database failed, or another transaction interfered; deliver the
   *     event again
   * @throws IllegalStateException if there is no transaction of the caller to work in
   */
  public <X extends Exception> boolean processOnce(
      String eventId, String consumer, InboxAction<X> action) throws X {
    Objects.requireNonNull(action, "action");
    return transactions.processOnce(new InboxEntry(eventId, consumer), action);
  }

  /**
   * Forgets at most {@code limit} events that were processed before {@code before}. A forgotten
   * event that is delivered again is processed again.
   *
   * @return how many were forgotten
   */
  public int purge(Instant before, int limit) {
    Objects.requireNonNull(before, "before");
    checkLimit(limit);
    return transactions.purge(before, limit);
  }

  /**
   * The same for an {@link io.outbox.purge.OutboxPurgeScheduler}. On a connection in auto-commit
   * mode each batch is one transaction.
   */
  public EventPurger purger() {
    return this::purge;
  }

  private int purge(Connection conn, Instant before, int limit) {
    checkLimit(limit);
    try {
      if (!conn.getAutoCommit()) {
        return rows.purge(conn, before, limit);
      }
      try (OwnTransaction tx = OwnTransaction.on(conn)) {
        int count = rows.purge(conn, before, limit);
        tx.commit();
        return count;
      }
    } catch (SQLException e) {
      throw SqlFailures.describe("purge", rows.table(), e);
    }
  }

  private static void checkLimit(int limit) {
    if (limit < 1) {
      throw new IllegalArgumentException("limit must be at least 1: " + limit);
    }
  }

  /** Collects the settings of an inbox. Not thread-safe. */
  public static final class Builder {

    private ConnectionProvider connections;
    private TxContext txContext;
    private InboxTable table = new InboxTable(InboxTable.DEFAULT);
    private Clock clock = Clock.systemUTC();

    private Builder() {}

    /** Processes each event in its own transaction, on a connection from this source. */
    public Builder dataSource(DataSource value) {
      Objects.requireNonNull(value, "dataSource");
      return connectionProvider(value::getConnection);
    }

    /** Processes each event in its own transaction, on a connection from this source. */
    public Builder connectionProvider(ConnectionProvider value) {
      this.connections = Objects.requireNonNull(value, "connectionProvider");
      return this;
    }

    /** Processes events in the transaction of the calling thread. */
    public Builder txContext(TxContext value) {
      this.txContext = Objects.requireNonNull(value, "txContext");
      return this;
    }

    /**
     * The table, optionally with its schema. Default {@code inbox_event}.
     *
     * @throws IllegalArgumentException if the name is not valid
     */
    public Builder tableName(String value) {
      this.table = new InboxTable(value);
      return this;
    }

    /** The clock for the time of processing. */
    public Builder clock(Clock value) {
      this.clock = Objects.requireNonNull(value, "clock");
      return this;
    }

    /** Builds the inbox. Does not use the database yet. */
    public Inbox build() {
      if ((connections == null) == (txContext == null)) {
        throw new IllegalStateException(
            "an inbox needs either a DataSource (or ConnectionProvider), to begin its own"
                + " transactions, or a TxContext, to join those of its callers");
      }
      InboxRows rows = new InboxRows(table, clock);
      return new Inbox(
          rows,
          txContext == null
              ? new OwnTransactions(connections, rows)
              : new CallersTransactions(txContext, rows));
    }
  }
}
