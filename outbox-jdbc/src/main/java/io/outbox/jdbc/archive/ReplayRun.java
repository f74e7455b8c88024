package io.outbox.jdbc.archive;

import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.internal.StoreErrors;
import io.outbox.model.OutboxEvent;
import io.outbox.operate.ActionProgress;
import io.outbox.operate.AuditEntry;
import io.outbox.operate.EventFilter;
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
  private final Pages pages;
  private final long limit;
  private final ActionProgress.Listener listener;
  private final Set<String> recent = Collections.newSetFromMap(new Recent());
  private long replayed;
  private long present;
  private long scanned;

  /** Where a run reads its events. */
  @FunctionalInterface
  private interface Pages {
    ArchiveReader.Page read(Connection conn, ArchiveReader reader, String after, int size);
  }

  ReplayRun(
      EventArchive archive, EventFilter filter, long limit, ActionProgress.Listener listener) {
    this(
        archive,
        filter.toString(),
        (conn, reader, after, size) -> reader.readOldestFirst(conn, filter, after, size),
        limit,
        listener);
  }

  /** Of one event. */
  ReplayRun(EventArchive archive, OutboxEvent event) {
    this(
        archive,
        "id=" + event.eventId(),
        (conn, reader, after, size) -> new ArchiveReader.Page(List.of(event), null, 1, false),
        1,
        ActionProgress.Listener.NONE);
  }

  private ReplayRun(
      EventArchive archive,
      String which,
      Pages pages,
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
    long audit = archive.withTable(ACTION, (conn, product, table) -> begin(conn));
    String after = null;
    boolean goesOn = true;
    boolean finished = false;
    while (goesOn) {
      Step step = persistently(audit, after);
      replayed += step.inserted();
      present += step.read() - step.inserted();
      scanned += step.scanned();
      recent.addAll(step.ids());
      after = step.next();
      finished = after == null;
      goesOn =
          listener.onProgress(new ActionProgress(replayed, scanned, finished))
              && !finished
              && replayed < limit;
    }
    archive.withTable(ACTION, (conn, product, table) -> end(conn, audit));
    return new ArchiveReplay(replayed, present, finished);
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

  private record Step(List<String> ids, int inserted, int scanned, String next) {
    int read() {
      return ids.size();
    }
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
  private Step persistently(long audit, String after) {
    for (int attempt = 1; ; attempt++) {
      try {
        return step(audit, after);
      } catch (OutboxStoreException e) {
        if (attempt == TRIES || !isConflict(e)) {
          throw e;
        }
      }
    }
  }

  private static boolean isConflict(OutboxStoreException e) {
    return e.getCause() instanceof SQLException cause
        && (StoreErrors.isDuplicateKey(cause)
            || String.valueOf(cause.getSQLState()).startsWith("40"));
  }

  private Step step(long audit, String after) {
    int size = (int) Math.min(BATCH, limit - replayed);
    return archive.withTable(
        ACTION,
        (conn, product, table) -> {
          ArchiveReader reader = archive.reader(product, table);
          ArchiveReader.Page page = pages.read(conn, reader, after, size);
          List<OutboxEvent> events =
              page.events().stream().filter(event -> !recent.contains(event.eventId())).toList();
          int inserted =
              events.isEmpty()
                  ? 0
                  : new Reinsertion(product, table).insert(conn, events, now(conn));
          if (inserted > 0) {
            operator.updateAudit(conn, audit, inserted, null);
          }
          List<String> ids = page.events().stream().map(OutboxEvent::eventId).toList();
          return new Step(ids, inserted, page.scanned(), page.next());
        });
  }
}
