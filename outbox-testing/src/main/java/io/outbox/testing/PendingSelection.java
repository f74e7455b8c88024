package io.outbox.testing;

import io.outbox.model.EventRoute;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.PendingBatch;
import io.outbox.spi.PendingQuery;
import io.outbox.spi.PollCursor;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/** Chooses the events of one batch. */
final class PendingSelection {

  private static final PollCursor START = new PollCursor(null, 0, null, 0);

  private final Session session;
  private final PendingQuery query;
  private final PollCursor after;

  PendingSelection(Session session, PendingQuery query) {
    this.session = session;
    this.query = query;
    this.after = query.after() == null ? START : query.after();
  }

  /** Without {@code skipRecent} no event is too recent, even if its writer's clock was ahead. */
  static Predicate<Row> isDue(Instant now, Duration skipRecent) {
    Predicate<Row> due = row -> row.isPending() && !row.availableAt.isAfter(now);
    Instant createdUntil = now.minus(skipRecent);
    return skipRecent.isZero() ? due : due.and(row -> !row.createdAt().isAfter(createdUntil));
  }

  static Row claim(Session session, Row row, String owner, Instant now) {
    Row claimed = row.with(changed -> changed.claim(owner, now));
    session.put(claimed);
    return claimed;
  }

  PendingBatch fetch() {
    // Leases that have run out first: there are few, and their events have waited longest.
    List<Row> expired =
        select(
            row -> row.isLeased() && !row.isLeasedSince(query.lockExpiry()),
            row -> row.lockedAt,
            after.leasedAt(),
            after.leasedSeq(),
            query.limit());
    List<Row> due =
        select(
            row -> !row.isLeased(),
            row -> row.availableAt,
            after.dueAt(),
            after.dueSeq(),
            query.limit() - expired.size());
    List<Row> batch = new ArrayList<>(expired);
    batch.addAll(due);
    batch.sort(Row.BY_CREATION);
    List<OutboxEvent> events = batch.stream().map(this::claimIfAsked).map(Row::toEvent).toList();
    return new PendingBatch(events, Optional.of(cursor(due, expired)), nextDue());
  }

  /** The first rows behind the cursor, in the order of the cursor. */
  private List<Row> select(
      Predicate<Row> matches, Function<Row, Instant> key, Instant at, long seq, int limit) {
    Predicate<Row> behindCursor =
        row -> {
          int order = at == null ? 1 : key.apply(row).compareTo(at);
          return order > 0 || order == 0 && row.seq > seq;
        };
    return session
        .rows(
            isDue(query.now(), query.skipRecent())
                .and(matches)
                .and(behindCursor)
                .and(row -> !isIn(row, query.without()))
                .and(row -> query.claimAs() == null || !session.isLockedByOther(row.id())))
        .stream()
        .sorted(Comparator.comparing(key).thenComparing(row -> row.seq))
        .limit(limit)
        .toList();
  }

  static boolean isIn(Row row, List<EventRoute> routes) {
    return routes.stream()
        .anyMatch(route -> route.matches(row.envelope.aggregateType(), row.envelope.eventType()));
  }

  private Row claimIfAsked(Row row) {
    return query.claimAs() == null ? row : claim(session, row, query.claimAs(), query.now());
  }

  private PollCursor cursor(List<Row> due, List<Row> expired) {
    Row lastDue = due.isEmpty() ? null : due.get(due.size() - 1);
    Row lastExpired = expired.isEmpty() ? null : expired.get(expired.size() - 1);
    return new PollCursor(
        lastDue == null ? after.dueAt() : lastDue.availableAt,
        lastDue == null ? after.dueSeq() : lastDue.seq,
        lastExpired == null ? after.leasedAt() : lastExpired.lockedAt,
        lastExpired == null ? after.leasedSeq() : lastExpired.seq);
  }

  private Optional<Instant> nextDue() {
    return session.rows(row -> row.isPending() && row.availableAt.isAfter(query.now())).stream()
        .map(row -> row.availableAt)
        .min(Comparator.naturalOrder());
  }
}
