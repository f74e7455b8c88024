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
 * Remembers which events a consumer has processed, in the consumer's own database and in the very
 * transaction in which it does: an event that is delivered again is recognised. See {@link
 * InboxSchema} for its table. Thread-safe.
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
   * Runs {@code action} unless this consumer has processed the event. When the same event is being
   * processed elsewhere, waits for the end of that transaction: if it commits, the event is a
   * duplicate, if it is rolled back, {@code action} runs here.
   *
   * <p>If {@code action} throws, the event does not count as processed. An inbox with transactions
   * of its own has rolled back everything then. An inbox in the caller's transaction leaves what
   * {@code action} did to the caller, who should let that transaction be rolled back.
   *
   * @param eventId at most 255 characters
   * @param consumer who processes it, at most 128 characters; each consumer processes an event once
   * @return whether {@code action} ran; false for a duplicate
   * @throws X what {@code action} throws
   * @throws InboxException if the database failed, or another transaction was in the way; deliver
   *     the event again
   * @throws IllegalStateException if there is no transaction of the caller to work in
   */
  public <X extends Exception> boolean processOnce(
      String eventId, String consumer, InboxAction<X> action) throws X {
    Objects.requireNonNull(action, "action");
    return transactions.processOnce(new InboxEntry(eventId, consumer), action);
  }

  /**
   * Forgets at most {@code limit} events that were processed before {@code before}. One that is
   * delivered again after that is processed again.
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
   * mode a batch is a transaction of its own.
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

    /** Each event is processed in a transaction of its own, on a connection from here. */
    public Builder dataSource(DataSource value) {
      Objects.requireNonNull(value, "dataSource");
      return connectionProvider(value::getConnection);
    }

    /** Each event is processed in a transaction of its own, on a connection from here. */
    public Builder connectionProvider(ConnectionProvider value) {
      this.connections = Objects.requireNonNull(value, "connectionProvider");
      return this;
    }

    /** Events are processed in the transaction that the calling thread is in. */
    public Builder txContext(TxContext value) {
      this.txContext = Objects.requireNonNull(value, "txContext");
      return this;
    }

    /**
     * The table, which may have a schema in front. Default {@code inbox_event}.
     *
     * @throws IllegalArgumentException if it is no name of a table
     */
    public Builder tableName(String value) {
      this.table = new InboxTable(value);
      return this;
    }

    /** Tells when events are processed. */
    public Builder clock(Clock value) {
      this.clock = Objects.requireNonNull(value, "clock");
      return this;
    }

    /** Builds the inbox; asks nothing of the database yet. */
    public Inbox build() {
      if ((connections == null) == (txContext == null)) {
        throw new IllegalStateException(
            "an inbox needs either a DataSource (or ConnectionProvider), to begin transactions of"
                + " its own, or a TxContext, to work in those of its callers");
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
