package io.outbox.operate;

import io.outbox.internal.store.StoreSession;
import io.outbox.spi.OperatorStore;
import java.sql.Connection;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * One action on all events that match a filter, in batches, each a transaction. The store leads it
 * past what it has changed, whatever becomes of that meanwhile.
 */
final class BulkAction {

  /** A preview that takes longer tells what it has counted so far. */
  private static final Duration PREVIEW_TIME = Duration.ofMillis(200);

  private static final int PREVIEW_PAGE = 2_000;

  private final StoreSession session;
  private final OperatorStore store;
  private final OperatorAction action;
  private final EventFilter filter;

  BulkAction(StoreSession session, OperatorStore store, OperatorAction action, EventFilter filter) {
    this.session = session;
    this.store = store;
    this.action = Objects.requireNonNull(action, "action");
    this.filter = Objects.requireNonNull(filter, "filter");
  }

  static Instant now(StoreSession session, Connection conn) {
    return session.store().currentTime(conn).orElseGet(Clock.systemUTC()::instant);
  }

  static void requireInstalled(OperatorStore store, Connection conn) {
    if (!store.isInstalled(conn)) {
      throw new IllegalStateException(
          "the tables for pauses and audit are missing: create them with"
              + " OutboxSchema.createOperator(dataSource, tableName), or ./outbox schema create");
    }
  }

  Preview preview(int sampleSize, long limit) {
    long deadline = System.nanoTime() + PREVIEW_TIME.toNanos();
    Instant since = session.read(conn -> now(session, conn));
    List<EventSummary> sample = new ArrayList<>();
    long count = 0;
    String next = null;
    do {
      String after = next;
      int size = (int) Math.min(PREVIEW_PAGE, limit - count);
      EventPage page = session.read(conn -> candidates(conn, since, after, size));
      page.events().stream().limit(sampleSize - sample.size()).forEach(sample::add);
      count += page.events().size();
      next = page.next();
    } while (next != null && count < limit && System.nanoTime() - deadline < 0);
    return new Preview(next == null ? Count.exactly(count) : Count.atLeast(count), sample);
  }

  private EventPage candidates(Connection conn, Instant since, String after, int limit) {
    return store.candidates(conn, action, filter, since, after, limit, OutboxOperator.SCAN_LIMIT);
  }

  private record Begun(long audit, Instant at) {}

  ActionProgress perform(String actor, int batch, long limit, ActionProgress.Listener listener) {
    Begun begun = session.inTransaction(conn -> begin(conn, actor));
    ActionProgress progress = new ActionProgress(0, 0, false);
    String after = null;
    boolean again = false;
    boolean goesOn = true;
    while (goesOn) {
      String from = after;
      int size = (int) Math.min(batch, limit - progress.changed());
      Step step = session.persistently(conn -> step(conn, begun, from, size));
      // Once more for those that somebody had locked; what was changed does not match any more.
      again = !again && step.missed() > 0 && !(action instanceof OperatorAction.Reschedule);
      after = again ? from : step.next();
      progress = progress.plus(step.changed(), step.scanned(), !again && after == null);
      goesOn = listener.onProgress(progress) && !progress.finished() && progress.changed() < limit;
    }
    session.persistently(
        conn -> {
          store.updateAudit(conn, begun.audit(), 0, now(session, conn));
          return null;
        });
    return progress;
  }

  private Begun begin(Connection conn, String actor) {
    requireInstalled(store, conn);
    Instant at = now(session, conn);
    String which = filter.toString();
    AuditEntry entry = new AuditEntry(0, actor, action.name(), at, which, action.detail(), 0, null);
    return new Begun(store.openAudit(conn, entry), at);
  }

  private record Step(int changed, int missed, int scanned, String next) {}

  private Step step(Connection conn, Begun begun, String after, int size) {
    EventPage page = candidates(conn, begun.at(), after, size);
    int changed =
        page.events().isEmpty()
            ? 0
            : store.change(conn, action, page.events(), now(session, conn)).size();
    if (changed > 0) {
      store.updateAudit(conn, begun.audit(), changed, null);
    }
    return new Step(changed, page.events().size() - changed, page.scanned(), page.next());
  }
}
