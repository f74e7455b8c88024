package io.outbox.cli.move;

import io.outbox.EventEnvelope;
import io.outbox.cli.connect.OutboxSession;
import io.outbox.cli.move.mapping.RowKind;
import io.outbox.model.EventRef;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.NewEvent;
import io.outbox.spi.Outcome;
import io.outbox.spi.OutcomeResult;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Writes events, each batch in one transaction. What was written is read again and compared before
 * the commit. If it takes rows, they leave their table in that transaction: the old library and
 * this one never both have an event.
 */
final class Transfer implements Step {

  private final OutboxSession session;
  private final SourceTable source;
  private final TargetEvents target;
  private final Rows rows;
  private final boolean takes;

  /**
   * @param takes whether pending rows leave their table
   */
  Transfer(
      OutboxSession session, SourceTable source, TargetEvents target, Rows rows, boolean takes) {
    this.session = session;
    this.source = source;
    this.target = target;
    this.rows = rows;
    this.takes = takes;
  }

  @Override
  public Tally batch(RowKind kind, List<Object> keys) throws SQLException {
    // Before the transaction, whose isolation is set for the statements on tables.
    Instant now = session.now();
    return new BatchTransaction(session).run(conn -> transfer(conn, kind, keys, now));
  }

  private Tally transfer(Connection conn, RowKind kind, List<Object> keys, Instant now)
      throws SQLException {
    boolean take = takes && kind == RowKind.PENDING;
    Tally tally = new Tally();
    List<SourceRow> wanted = rows.usable(source.read(conn, kind, keys, take, now), now, tally);
    Map<String, OutboxEvent> there = target.read(conn, ids(wanted));
    List<SourceRow> fresh = new ArrayList<>();
    List<Object> done = new ArrayList<>();
    for (SourceRow row : wanted) {
      OutboxEvent stored = there.get(row.event().eventId());
      if (stored == null) {
        fresh.add(row);
        tally.add(Tally.Outcome.IMPORTED, row);
        done.add(row.key());
      } else if (rows.isSame(stored, row, kind, take, tally)) {
        done.add(row.key());
      }
    }
    if (!fresh.isEmpty()) {
      write(conn, kind, fresh);
      verify(conn, kind, fresh);
    }
    if (take && !done.isEmpty()) {
      take(conn, done, now, tally);
    }
    return tally;
  }

  private static List<String> ids(List<SourceRow> rows) {
    return rows.stream().map(row -> row.event().eventId()).toList();
  }

  private void write(Connection conn, RowKind kind, List<SourceRow> fresh) {
    boolean pending = kind == RowKind.PENDING;
    session
        .store()
        .insertAll(
            conn, fresh.stream().map(row -> new NewEvent(row.event(), null, pending)).toList());
    if (!pending) {
      List<Outcome> outcomes = fresh.stream().map(row -> outcome(kind, row)).toList();
      List<OutcomeResult> results = session.store().recordOutcomes(conn, outcomes);
      if (results.stream().anyMatch(result -> result != OutcomeResult.WRITTEN)) {
        throw new IllegalStateException("finished events could not be marked as " + kind.status());
      }
    }
  }

  private static Outcome outcome(RowKind kind, SourceRow row) {
    EventEnvelope event = row.event();
    EventRef ref = EventRef.any(event.eventId());
    Instant at = row.finishedAt() == null ? event.occurredAt() : row.finishedAt();
    return kind == RowKind.DEAD ? Outcome.dead(ref, 0, at, row.error()) : Outcome.done(ref, 0, at);
  }

  /** What was stored is what was read; if not, the transaction must not be committed. */
  private void verify(Connection conn, RowKind kind, List<SourceRow> fresh) throws SQLException {
    Map<String, OutboxEvent> stored = target.read(conn, ids(fresh));
    for (SourceRow row : fresh) {
      OutboxEvent event = stored.get(row.event().eventId());
      String difference = event == null ? "row" : TargetEvents.difference(event, row);
      if (difference == null && event.status() != kind.status()) {
        difference = "status";
      }
      if (difference != null) {
        throw new IllegalStateException(
            "event %s of row %s would have another %s than its row; this batch is not imported"
                .formatted(row.event().eventId(), EventIds.text(row.key()), difference));
      }
    }
  }

  private void take(Connection conn, List<Object> keys, Instant now, Tally tally)
      throws SQLException {
    int taken = source.take(conn, RowKind.PENDING, keys);
    if (taken != keys.size()) {
      throw new IllegalStateException(
          "%s rows of %s were locked, but %s taken: does '%s' tell its rows apart?"
              .formatted(keys.size(), source.name(), taken, source.mapping().origin().key()));
    }
    // Otherwise the next pass would find them again, and again.
    if (!source.read(conn, RowKind.PENDING, keys, false, now).isEmpty()) {
      throw new IllegalArgumentException(
          "'take' leaves rows of "
              + source.name()
              + " pending: it must set a column of 'rows: pending' to another value");
    }
    tally.addTaken(taken);
  }
}
