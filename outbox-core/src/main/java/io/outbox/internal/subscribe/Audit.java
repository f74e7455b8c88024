package io.outbox.internal.subscribe;

import io.outbox.internal.store.StoreSession;
import io.outbox.operate.AuditEntry;
import io.outbox.spi.OperatorStore;
import java.sql.Connection;
import java.time.Clock;
import java.time.Instant;

/** Writes down what operators do to subscriptions, beside what they do to events. Thread-safe. */
public final class Audit {

  /** What is done, in the transaction of its entry. */
  @FunctionalInterface
  public interface Change {
    /** Returns how much was changed. */
    int on(Connection conn, Instant now);
  }

  private final StoreSession session;
  private final OperatorStore store;
  private final String actor;

  private Audit(StoreSession session, OperatorStore store, String actor) {
    this.session = session;
    this.store = store;
    this.actor = actor;
  }

  /** Under the name of the process's user. */
  public static Audit of(StoreSession session) {
    OperatorStore store = session.store().operator().orElseThrow();
    return new Audit(session, store, System.getProperty("user.name", "unknown"));
  }

  /** The same, under this name. */
  public Audit as(String name) {
    return new Audit(session, store, name);
  }

  /** Changes something and writes that down, in one transaction; returns how much was changed. */
  public int change(String what, String target, String detail, Change change) {
    return session.persistently(
        conn -> {
          long id = open(conn, what, target, detail);
          Instant now = now(conn);
          int changed = change.on(conn, now);
          store.updateAudit(conn, id, changed, now);
          return changed;
        });
  }

  /** Begins something that takes several transactions. */
  public Entry begin(String what, String target, String detail) {
    return new Entry(session.persistently(conn -> open(conn, what, target, detail)));
  }

  private long open(Connection conn, String what, String target, String detail) {
    if (!store.isInstalled(conn)) {
      throw new IllegalStateException(
          "the tables for pauses and audit are missing: create them with"
              + " OutboxSchema.createOperator(dataSource, tableName), or ./outbox schema create");
    }
    return store.openAudit(
        conn, new AuditEntry(0, actor, what, now(conn), target, detail, 0, null));
  }

  private Instant now(Connection conn) {
    return session.store().currentTime(conn).orElseGet(Clock.systemUTC()::instant);
  }

  /** An action that is under way. */
  public final class Entry {
    private final long id;

    private Entry(long id) {
      this.id = id;
    }

    /** So many more were changed, in this transaction. */
    public void add(Connection conn, int changed) {
      if (changed > 0) {
        store.updateAudit(conn, id, changed, null);
      }
    }

    public void end() {
      session.persistently(
          conn -> {
            store.updateAudit(conn, id, 0, now(conn));
            return null;
          });
    }
  }
}
