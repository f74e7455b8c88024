package io.outbox;

import io.outbox.dispatch.EventInterceptor;
import io.outbox.internal.BatchHook.Batch;
import io.outbox.internal.write.WriteSteps;
import io.outbox.spi.NewEvent;
import io.outbox.spi.OutboxStore;
import io.outbox.spi.TxContext;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;

/** Writes events through a store, on the connection of the current transaction. Thread-safe. */
public final class DefaultOutboxWriter implements OutboxWriter {

  private final TxContext txContext;
  private final OutboxStore outboxStore;
  private final RowsBeforeCommit rowsBeforeCommit; // null: no row is lost before its commit
  volatile WriteSteps steps; // a CurrentWriter changes them

  /** A writer that only writes: a poller or change data capture delivers. */
  public DefaultOutboxWriter(TxContext txContext, OutboxStore outboxStore) {
    this(txContext, outboxStore, WriterHook.NOOP);
  }

  public DefaultOutboxWriter(TxContext txContext, OutboxStore outboxStore, WriterHook writerHook) {
    this(txContext, outboxStore, writerHook, List.of());
  }

  /**
   * With interceptors, whose {@code beforeWrite} sees every event. The builders of {@link Outbox}
   * pass theirs. A writer without interceptors adds no trace context, for example.
   */
  public DefaultOutboxWriter(
      TxContext txContext,
      OutboxStore outboxStore,
      WriterHook writerHook,
      List<EventInterceptor> interceptors) {
    this.txContext = Objects.requireNonNull(txContext, "txContext");
    this.outboxStore = Objects.requireNonNull(outboxStore, "outboxStore");
    this.steps = new WriteSteps(writerHook, interceptors);
    this.rowsBeforeCommit =
        outboxStore.mayLoseRowsInTransaction()
            ? new RowsBeforeCommit(txContext, outboxStore)
            : null;
  }

  @Override
  public String write(EventEnvelope event) {
    List<String> ids = writeAll(List.of(Objects.requireNonNull(event, "event")));
    return ids.isEmpty() ? null : ids.get(0);
  }

  @Override
  public String write(String eventType, String payloadJson) {
    return write(EventEnvelope.ofJson(eventType, payloadJson));
  }

  @Override
  public String write(EventType eventType, String payloadJson) {
    return write(EventEnvelope.ofJson(eventType, payloadJson));
  }

  @Override
  public List<String> writeAll(List<EventEnvelope> events) {
    Connection conn = writableConnection();
    List<EventEnvelope> given = List.copyOf(Objects.requireNonNull(events, "events"));
    txContext.beforeWrite();
    WriteSteps now = steps;
    List<EventEnvelope> batch = now.accept(given);
    if (batch.isEmpty()) {
      return List.of();
    }
    insert(conn, batch, now);
    return batch.stream().map(EventEnvelope::eventId).toList();
  }

  /** The callbacks are registered first: a transaction that takes none gets no row either. */
  private void insert(Connection conn, List<EventEnvelope> batch, WriteSteps now) {
    WriteSteps.Insert insert = now.insertOf(batch);
    boolean hasHook = now.hasHook();
    if (hasHook) {
      txContext.afterCommit(insert::committed);
      txContext.afterRollback(insert::rolledBack);
    }
    List<NewEvent> rows = insert.prepare();
    try {
      outboxStore.insertAll(conn, rows);
    } catch (Throwable failure) {
      insert.failed();
      throw failure;
    }
    Batch written = hasHook ? insert.inserted() : null;
    if (written != null && rowsBeforeCommit != null) {
      WriteSteps.quietly("the check of rows", () -> rowsBeforeCommit.add(conn, written));
    }
  }

  private Connection writableConnection() {
    if (!txContext.isTransactionActive()) {
      throw noTransaction();
    }
    Connection conn = txContext.currentConnection();
    try {
      if (conn.getAutoCommit()) {
        throw new IllegalStateException(
            "the transaction's connection is in auto-commit mode: an event would be committed"
                + " without the data. Begin a transaction on this connection");
      }
      if (conn.isReadOnly()) {
        throw new IllegalStateException(
            "the transaction is read-only: events can only be written in a transaction that may"
                + " write");
      }
    } catch (SQLException e) {
      throw new IllegalStateException(
          "the transaction's connection cannot be used: " + e.getMessage(), e);
    }
    return conn;
  }

  /** The context knows why there is none: it is another database's, or over already. */
  private IllegalStateException noTransaction() {
    String message =
        "there is no active transaction: write events inside the transaction that changes the data";
    try {
      txContext.currentConnection();
      return new IllegalStateException(message);
    } catch (IllegalStateException reason) {
      return new IllegalStateException(message + " (" + reason.getMessage() + ")", reason);
    } catch (RuntimeException e) {
      return new IllegalStateException(message, e);
    }
  }
}
