package io.outbox.jdbc.archive;

import io.outbox.jdbc.OutboxStoreException;
import io.outbox.model.OutboxEvent;
import io.outbox.operate.ActionProgress;
import io.outbox.operate.AuditEntry;
import io.outbox.spi.OperatorStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** One replay of archived events, in batches. Not thread-safe. */
final class ReplayRun {

  /** Payloads may be large. */
  private static final int BATCH = 100;

  /** How often a batch is tried that others are in the way of. */
  private static final int TRIES = 5;

  /** Of PostgreSQL. */
  private static final String LOCK_NOT_AVAILABLE = "55P03";

  /** MySQL's lock wait timeout, MariaDB's "record has changed since last read", H2's timeout. */
  private static final Set<Integer> LOCK_CONFLICTS = Set.of(1205, 1020, 50200);

  private static final String ACTION = "replay archived events";

  private final EventArchive archive;
  private final OperatorStore operator;
  private final String which;
  private final ArchiveReader.Pages pages;
  private final long limit;
  private final ActionProgress.Listener listener;
  private final Set<String> recent = Collections.newSetFromMap(new Recent());
  private long replayed;
  private long present;
  private long scanned;
  private String next; // behind the last page that is committed; null: there is none, or no more

  /** Of one event. */
  ReplayRun(EventArchive archive, OutboxEvent event) {
    this(
        archive,
        "id=" + event.eventId(),
        size -> new ArchiveReader.Page(List.of(event), null, 1, false),
        1,
        ActionProgress.Listener.NONE);
  }

  /**
   * @param which the events, for the audit
   */
  ReplayRun(
      EventArchive archive,
      String which,
      ArchiveReader.Pages pages,
      long limit,
      ActionProgress.Listener listener) {
    this.archive = archive;
    this.operator = archive.store().operator().orElseThrow();
    this.which = which;
    this.pages = pages;
    this.limit = limit;
    this.listener = listener;
  }

  ArchiveReplay run() {
    try {
      replayAll();
    } catch (OutboxStoreException e) {
      throw next == null ? e : new ArchiveReplayException(e, soFar());
    }
    return soFar();
  }

  private ArchiveReplay soFar() {
    return new ArchiveReplay(replayed, present, next);
  }

  private void replayAll() {
    long audit = archive.withTable(ACTION, (conn, context) -> begin(conn));
    boolean goesOn = true;
    while (goesOn) {
      ArchiveReader.Page page = pages.next((int) Math.min(BATCH, limit - replayed));
      int inserted = persistently(audit, page.events());
      replayed += inserted;
      present += page.events().size() - inserted;
      scanned += page.scanned();
      page.events().forEach(event -> recent.add(event.eventId()));
      next = page.next();
      goesOn =
          listener.onProgress(new ActionProgress(replayed, scanned, next == null))
              && next != null
              && replayed < limit;
    }
    archive.withTable(ACTION, (conn, context) -> end(conn, audit));
  }

  private long begin(Connection conn) {
    if (!operator.isInstalled(conn)) {
      throw new IllegalStateException(
          "the tables for pauses and audit are missing: create them with"
              + " OutboxSchema.createOperator(dataSource, tableName), or ./outbox schema create");
    }
    String from = "from " + archive.place();
    return operator.openAudit(
        conn,
        new AuditEntry(0, archive.actor(), "archive replay", now(conn), which, from, 0, null));
  }

  private Void end(Connection conn, long audit) {
    operator.updateAudit(conn, audit, 0, now(conn));
    return null;
  }

  private Instant now(Connection conn) {
    return archive.store().currentTime(conn).orElseGet(Clock.systemUTC()::instant);
  }

  /** Files may have an event twice, and its row may be gone before the second is read. */
  private static final class Recent extends LinkedHashMap<String, Boolean> {
    private static final long serialVersionUID = 1L;
    private static final int MOST = 100_000;

    @Override
    protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
      return size() > MOST;
    }
  }

  /** Somebody else may replay the same event at the same moment. */
  private int persistently(long audit, List<OutboxEvent> read) {
    List<OutboxEvent> events =
        read.stream().filter(event -> !recent.contains(event.eventId())).toList();
    if (events.isEmpty()) {
      return 0;
    }
    for (int attempt = 1; ; attempt++) {
      try {
        return insert(audit, events);
      } catch (OutboxStoreException e) {
        if (attempt == TRIES || !isConflict(e)) {
          throw e;
        }
      }
    }
  }

  /** A key that exists, a transaction that had to give way, or a lock that others held. */
  static boolean isConflict(OutboxStoreException e) {
    if (!(e.getCause() instanceof SQLException cause)) {
      return false;
    }
    String state = String.valueOf(cause.getSQLState());
    return state.startsWith("23")
        || state.startsWith("40")
        || state.equals(LOCK_NOT_AVAILABLE)
        || LOCK_CONFLICTS.contains(cause.getErrorCode());
  }

  private int insert(long audit, List<OutboxEvent> events) {
    return archive.withTable(
        ACTION,
        (conn, context) -> {
          int inserted = new Reinsertion(context).insert(conn, events, now(conn));
          if (inserted > 0) {
            operator.updateAudit(conn, audit, inserted, null);
          }
          return inserted;
        });
  }
}
