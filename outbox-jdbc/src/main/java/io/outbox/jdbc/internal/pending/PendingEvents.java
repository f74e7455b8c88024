package io.outbox.jdbc.internal.pending;

import io.outbox.jdbc.internal.StoreContext;
import io.outbox.model.EventRoute;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.PendingBatch;
import io.outbox.spi.PendingQuery;
import io.outbox.spi.PollCursor;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Finds events to deliver. There are two parts, each with its own index and cursor: pending rows
 * without a lease, by when they are due, and pending rows whose lease has expired.
 */
public abstract class PendingEvents {

  static final Comparator<OutboxEvent> OLDEST_FIRST =
      Comparator.comparing(OutboxEvent::createdAt).thenComparingLong(OutboxEvent::seq);

  private static final Duration LATE = Duration.ofSeconds(1);
  private static final PollCursor START = new PollCursor(null, 0, null, 0);

  /** Where a row was in the index of its part. */
  interface Place {
    boolean leaseExpired();

    Instant position();

    long seq();
  }

  /**
   * A row to deliver.
   *
   * @param total the bytes of the batch up to and including it, if the store counts them
   */
  record Found(OutboxEvent event, boolean leaseExpired, Instant position, long total)
      implements Place {
    @Override
    public long seq() {
      return event.seq();
    }
  }

  final StoreContext context;

  public PendingEvents(StoreContext context) {
    this.context = context;
  }

  /** The spec's poll: whatever the leases, oldest first. */
  public abstract List<OutboxEvent> poll(Connection conn, PendingQuery query);

  /** The spec's claim: oldest first. */
  public abstract List<OutboxEvent> claim(Connection conn, PendingQuery query);

  /** Rows whose lease has expired, then rows due, each in the order of its index. */
  abstract List<Found> select(Connection conn, PendingQuery query, PollCursor after);

  /** After {@link #select}, in the same transaction. */
  abstract Optional<Instant> nextDue(Connection conn, Instant now);

  public final PendingBatch fetch(Connection conn, PendingQuery query) {
    if (query.without().contains(EventRoute.ANY)) {
      return new PendingBatch(List.of(), Optional.empty(), Optional.empty());
    }
    PollCursor after = query.after() == null ? START : query.after();
    List<Found> found = select(conn, query, after);
    boolean more = found.stream().anyMatch(row -> row.total() >= query.maxBytes());
    boolean all = !more && found.size() < query.limit();
    Optional<Instant> nextDue = all ? nextDue(conn, query.now()) : Optional.empty();
    List<OutboxEvent> events = found.stream().map(Found::event).sorted(OLDEST_FIRST).toList();
    boolean allExpired =
        !more && found.stream().filter(Found::leaseExpired).count() < query.limit();
    PollCursor next = advance(after, found);
    if (all && !query.without().isEmpty()) {
      next = pastUnwanted(next, query);
    }
    return new PendingBatch(
        events, more, Optional.of(allExpired ? pastExpired(next, query) : next), nextDue);
  }

  /**
   * There are no more expired leases: the next batch needs to look only at those that expire later.
   * While a transaction is held open, PostgreSQL cannot clean up the index behind them.
   */
  private static PollCursor pastExpired(PollCursor cursor, PendingQuery query) {
    return new PollCursor(cursor.dueAt(), cursor.dueSeq(), query.lockExpiry(), 0);
  }

  /**
   * What was left out may be most of the table: the next batch need not look at it again. Rows that
   * are committed late are found from the start.
   */
  private static PollCursor pastUnwanted(PollCursor cursor, PendingQuery query) {
    Instant seen = query.now().minus(LATE);
    return cursor.dueAt() != null && !cursor.dueAt().isBefore(seen)
        ? cursor
        : new PollCursor(seen, 0, cursor.leasedAt(), cursor.leasedSeq());
  }

  static PollCursor advance(PollCursor cursor, List<? extends Place> places) {
    Instant dueAt = cursor.dueAt();
    long dueSeq = cursor.dueSeq();
    Instant leasedAt = cursor.leasedAt();
    long leasedSeq = cursor.leasedSeq();
    for (Place place : places) {
      if (place.leaseExpired()) {
        if (isBehind(place, leasedAt, leasedSeq)) {
          leasedAt = place.position();
          leasedSeq = place.seq();
        }
      } else if (isBehind(place, dueAt, dueSeq)) {
        dueAt = place.position();
        dueSeq = place.seq();
      }
    }
    return new PollCursor(dueAt, dueSeq, leasedAt, leasedSeq);
  }

  private static boolean isBehind(Place place, Instant position, long seq) {
    int compared = position == null ? 1 : place.position().compareTo(position);
    return compared > 0 || compared == 0 && place.seq() > seq;
  }

  /** What to bind for a cursor's instant; null is before all others. */
  final Object position(Instant instant) {
    return instant == null ? context.product.beginningOfTime() : context.time(instant);
  }
}
