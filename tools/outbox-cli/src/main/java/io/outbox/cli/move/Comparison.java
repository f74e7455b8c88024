package io.outbox.cli.move;

import io.outbox.cli.connect.OutboxSession;
import io.outbox.cli.move.mapping.RowKind;
import io.outbox.model.OutboxEvent;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** Compares rows with the outbox table, and changes nothing: for dry runs and verification. */
final class Comparison implements Step {

  private final OutboxSession session;
  private final SourceTable source;
  private final TargetEvents target;
  private final Rows rows;

  Comparison(OutboxSession session, SourceTable source, TargetEvents target, Rows rows) {
    this.session = session;
    this.source = source;
    this.target = target;
    this.rows = rows;
  }

  /** IMPORTED here means that the outbox table does not have it. */
  @Override
  public Tally batch(RowKind kind, List<Object> keys) throws SQLException {
    Instant now = session.now();
    return new BatchTransaction(session).run(conn -> compare(conn, kind, keys, now));
  }

  private Tally compare(Connection conn, RowKind kind, List<Object> keys, Instant now)
      throws SQLException {
    Tally tally = new Tally();
    List<SourceRow> wanted = rows.usable(source.read(conn, kind, keys, false, now), now, tally);
    Map<String, OutboxEvent> there =
        target.read(conn, wanted.stream().map(row -> row.event().eventId()).toList());
    for (SourceRow row : wanted) {
      OutboxEvent stored = there.get(row.event().eventId());
      if (stored == null) {
        tally.add(Tally.Outcome.IMPORTED, row);
      } else {
        rows.isSame(stored, row, kind, false, tally);
      }
    }
    return tally;
  }
}
