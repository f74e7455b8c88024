package io.outbox.internal.write;

import io.outbox.DefaultOutboxWriter;
import io.outbox.EventEnvelope;
import io.outbox.WriterHook;
import io.outbox.dispatch.EventInterceptor;
import io.outbox.internal.BatchHook;
import io.outbox.internal.BatchHook.Ahead;
import io.outbox.internal.BatchHook.Batch;
import io.outbox.spi.NewEvent;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** What a writer does before and after it inserts events, whatever it inserts them by. */
public final class WriteSteps {

  private static final Logger LOG = PrintableLogger.of(DefaultOutboxWriter.class);

  private final WriterHook hook;
  private final List<EventInterceptor> interceptors;

  public WriteSteps(WriterHook hook, List<EventInterceptor> interceptors) {
    this.hook = Objects.requireNonNull(hook, "writerHook");
    this.interceptors = List.copyOf(Objects.requireNonNull(interceptors, "interceptors"));
  }

  /**
   * For a writer that may not learn how its transaction ends: nothing waits for that in memory, and
   * no row is born with a lease. After the commit delivery looks at the table.
   */
  public WriteSteps withoutMemory() {
    return hook instanceof BatchHook batches
        ? new WriteSteps(batches.withoutMemory(), interceptors)
        : this;
  }

  /** Delivers copies of an event before their rows are written; null if those come first. */
  public Ahead ahead(String eventId) {
    return hook instanceof BatchHook batches ? batches.ahead(eventId) : null;
  }

  /** Whether somebody wants to know how the transaction ends. */
  public boolean hasHook() {
    return hook != WriterHook.NOOP;
  }

  /** What to insert; empty if nothing is. Whatever this throws reaches the caller. */
  public List<EventEnvelope> accept(List<EventEnvelope> events) {
    List<EventEnvelope> accepted = hook.beforeWrite(intercepted(events));
    if (accepted == null || accepted.isEmpty()) {
      return List.of();
    }
    List<EventEnvelope> batch = List.copyOf(accepted);
    requireDistinctIds(batch);
    return batch;
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

  /** The insert of what {@link #accept} returned. */
  public Insert insertOf(List<EventEnvelope> batch) {
    return new Insert(batch);
  }

  /** Calls the hook and goes on, whatever it throws. */
  public static void quietly(String what, Runnable call) {
    try {
      call.run();
    } catch (Throwable e) {
      LOG.log(Level.WARNING, () -> "the writer hook failed in " + what + "; going on", e);
    }
  }

  /**
   * One batch on its way. The transaction's end means nothing for it unless it was inserted; until
   * then memory holds no more of it than the hook needs.
   */
  public final class Insert {

    private List<EventEnvelope> events;
    private List<NewEvent> rows = List.of();
    private Batch inserted; // null: not inserted
    private boolean rolledBack; // perhaps by another thread, before it was inserted

    private Insert(List<EventEnvelope> events) {
      this.events = events;
    }

    /** The rows to insert. */
    public List<NewEvent> prepare() {
      List<NewEvent> prepared = new ArrayList<>();
      quietly("beforeInsert", () -> prepared.addAll(hook.beforeInsert(events)));
      rows =
          prepared.size() == events.size()
              ? prepared
              : events.stream().map(NewEvent::unleased).toList();
      return rows;
    }

    /** The rows are not there. */
    public void failed() {
      quietly("insertFailed", () -> hook.insertFailed(rows));
      forget();
    }

    /** The rows are there; returns what is left to do for them, null if that is not known. */
    public synchronized Batch inserted() {
      quietly("afterWrite", () -> inserted = batch());
      forget();
      if (rolledBack) {
        rolledBack();
      }
      return inserted;
    }

    private void forget() {
      events = List.of();
      rows = List.of();
    }

    private Batch batch() {
      if (hook instanceof BatchHook batches) {
        return batches.inserted(events);
      }
      quietly("afterWrite", () -> hook.afterWrite(events));
      return new WholeBatch(hook, events);
    }

    public synchronized void committed() {
      if (inserted != null) {
        quietly("afterCommit", inserted::committed);
      }
    }

    public synchronized void rolledBack() {
      rolledBack = true;
      if (inserted != null) {
        quietly("afterRollback", inserted::rolledBack);
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
