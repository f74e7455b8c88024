package io.outbox.cli.move;

import io.outbox.cli.connect.OutboxSession;
import io.outbox.cli.move.SourceTable.Place;
import io.outbox.cli.move.mapping.RowKind;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Predicate;

/**
 * Goes through the rows of a kind, in order. It asks for the keys of many rows at a time, because
 * few tables have an index for the order, and reads rows by their key.
 */
final class Sweep {

  private static final int KEYS = 20_000;

  private final OutboxSession session;
  private final SourceTable source;
  private final int batch;

  Sweep(OutboxSession session, SourceTable source, int batch) {
    this.session = session;
    this.source = source;
    this.batch = batch;
  }

  /**
   * Goes from the beginning to the end.
   *
   * @param limit how many rows at most
   * @param goOn asked after each batch, with what became of it
   * @return false if it was stopped
   */
  boolean through(RowKind kind, Step step, long limit, Predicate<Tally> goOn) throws SQLException {
    Place after = null;
    for (long left = limit; left > 0; ) {
      int size = (int) Math.min(KEYS, left);
      List<Place> places = source.next(UtcConnection.of(session), kind, after, size);
      for (int from = 0; from < places.size(); from += batch) {
        List<Place> some = places.subList(from, Math.min(places.size(), from + batch));
        if (!goOn.test(step.batch(kind, some.stream().map(Place::key).toList()))) {
          return false;
        }
      }
      if (places.size() < size) {
        return true;
      }
      after = places.get(places.size() - 1);
      left -= places.size();
    }
    return true;
  }
}
