package io.outbox;

import io.outbox.dispatch.EventInterceptor;
import io.outbox.internal.BatchHook;
import io.outbox.internal.BatchHook.Batch;
import io.outbox.spi.NewEvent;
import io.outbox.spi.OutboxStore;
import io.outbox.spi.TxContext;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** Writes events through a store, on the connection of the current transaction. Thread-safe. */
public final class DefaultOutboxWriter implements OutboxWriter {

  private static final Logger LOG = PrintableLogger.of(DefaultOutboxWriter.class);

  private final TxContext txContext;
  private final OutboxStore outboxStore;
  private final WriterHook writerHook;
  private final List<EventInterceptor> interceptors;
  private final RowsBeforeCommit rowsBeforeCommit;

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
    this.writerHook = Objects.requireNonNull(writerHook, "writerHook");
    this.interceptors = List.copyOf(Objects.requireNonNull(interceptors, "interceptors"));
    this.rowsBeforeCommit = new RowsBeforeCommit(txContext, outboxStore);
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
    List<EventEnvelope> accepted = writerHook.beforeWrite(intercepted(given));
    if (accepted == null || accepted.isEmpty()) {
      return List.of();
    }
    List<EventEnvelope> batch = List.copyOf(accepted);
    requireDistinctIds(batch);
    insert(conn, batch);
    return batch.stream().map(EventEnvelope::eventId).toList();
  }

  private List<EventEnvelope> intercepted(List<EventEnvelope> events) {
    return interceptors.isEmpty() ? events : events.stream().map(this::intercepted).toList();
  }

  private EventEnvelope intercepted(EventEnvelope event) {
    EventEnvelope changed = event;
    for (EventInterceptor interceptor : interceptors) {
      changed =
          Objects.requireNonNull(
              interceptor.beforeWrite(changed), "an interceptor's beforeWrite returned null");
    }
    return changed;
  }

  /** The callbacks are registered first: a transaction that takes none gets no row either. */
  private void insert(Connection conn, List<EventEnvelope> batch) {
    Registration registration = new Registration();
    if (writerHook != WriterHook.NOOP) {
      txContext.afterCommit(registration::committed);
      txContext.afterRollback(registration::rolledBack);
    }
    List<NewEvent> rows = prepare(batch);
    try {
      outboxStore.insertAll(conn, rows);
    } catch (Throwable failure) {
      quietly("insertFailed", () -> writerHook.insertFailed(rows));
      throw failure;
    }
    if (writerHook != WriterHook.NOOP) {
      quietly("afterWrite", () -> registration.batch = inserted(batch));
      quietly("the check of rows", () -> rowsBeforeCommit.add(conn, registration.batch));
    }
  }

  private Batch inserted(List<EventEnvelope> events) {
    if (writerHook instanceof BatchHook hook) {
      return hook.inserted(events);
    }
    quietly("afterWrite", () -> writerHook.afterWrite(events));
    return new WholeBatch(writerHook, events);
  }

  private List<NewEvent> prepare(List<EventEnvelope> batch) {
    List<NewEvent> rows = new ArrayList<>();
    quietly("beforeInsert", () -> rows.addAll(writerHook.beforeInsert(batch)));
    return rows.size() == batch.size() ? rows : batch.stream().map(NewEvent::unleased).toList();
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

  private static void requireDistinctIds(List<EventEnvelope> batch) {
    if (batch.size() > 1) {
      Set<String> ids = new HashSet<>();
      for (EventEnvelope event : batch) {
        if (!ids.add(event.eventId())) {
          throw new IllegalArgumentException(
              "the event id '" + event.eventId() + "' is in the batch twice; nothing was written");
        }
      }
    }
  }

  private static void quietly(String what, Runnable call) {
    try {
      call.run();
    } catch (Throwable e) {
      LOG.log(Level.WARNING, () -> "the writer hook failed in " + what + "; going on", e);
    }
  }

  /** What the transaction's end means for a batch: nothing, if its insert had failed. */
  private static final class Registration {
    private Batch batch; // null: not inserted

    private void committed() {
      if (batch != null) {
        quietly("afterCommit", batch::committed);
      }
    }

    private void rolledBack() {
      if (batch != null) {
        quietly("afterRollback", batch::rolledBack);
      }
    }
  }

  /** A user's own hook sees every event again. */
  private record WholeBatch(WriterHook hook, List<EventEnvelope> events) implements Batch {
    @Override
    public void committed() {
      hook.afterCommit(events);
    }

    @Override
    public void rolledBack() {
      hook.afterRollback(events);
    }
  }
}
