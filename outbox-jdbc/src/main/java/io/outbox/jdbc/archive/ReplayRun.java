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
    long audit = archive.withTable(ACTION, (conn, context) -> begin(conn));
    boolean goesOn = true;
    String next = null;
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
    return new ArchiveReplay(replayed, present, next);
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

  /** A key that exists, or a transaction that had to give way. */
  private static boolean isConflict(OutboxStoreException e) {
    String state = e.getCause() instanceof SQLException cause ? cause.getSQLState() : null;
    return state != null && (state.startsWith("23") || state.startsWith("40"));
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
