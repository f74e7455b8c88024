package io.outbox.internal.subscribe;

import io.outbox.AggregateType;
import io.outbox.EventEnvelope;
import io.outbox.internal.store.StoreSession;
import io.outbox.model.EventRoute;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.operate.EventFilter;
import io.outbox.operate.EventPage;
import io.outbox.operate.EventSummary;
import io.outbox.operate.OutboxOperator;
import io.outbox.spi.NewEvent;
import io.outbox.subscription.Subscription;
import java.sql.Connection;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/** Writes copies of delivered events for one subscription. */
public final class Backfill {

  /** How many events become copies in one transaction. */
  public static final int BATCH = 200;

  /** Their ids are held in memory, to write the oldest first. */
  public static final int MOST = 100_000;

  private static final int PAGE = 1_000;

  private final StoreSession session;
  private final OutboxOperator operator;

  public Backfill(StoreSession session, OutboxOperator operator) {
    this.session = session;
    this.operator = operator;
  }

  private record Found(String eventId, long seq) {}

  /** Returns how many copies were written. */
  public long run(Subscription to, Instant from) {
    List<Found> found = find(to.route(), from);
    found.sort(Comparator.comparingLong(Found::seq));
    long written = 0;
    for (int i = 0; i < found.size(); i += BATCH) {
      List<Found> batch = found.subList(i, Math.min(found.size(), i + BATCH));
      written += session.persistently(conn -> write(conn, to, batch));
    }
    return written;
  }

  private List<Found> find(EventRoute route, Instant from) {
    boolean global = route.aggregateType().equals(AggregateType.GLOBAL.name());
    EventFilter filter =
        EventFilter.builder()
            .status(EventStatus.DONE)
            .eventType(route.eventType())
            .aggregateType(global ? null : route.aggregateType()) // rows may name none
            .createdFrom(from)
            .build();
    List<Found> found = new ArrayList<>();
    String after = null;
    do {
      EventPage page = operator.search(filter, after, PAGE);
      page.events().stream()
          .filter(event -> route.matches(event.aggregateType(), event.eventType()))
          .forEach(event -> found.add(found(event)));
      if (found.size() > MOST) {
        throw new IllegalStateException(
            "more than %d events of %s since %s; choose a later time".formatted(MOST, route, from));
      }
      after = page.next();
    } while (after != null);
    return found;
  }

  private static Found found(EventSummary event) {
    return new Found(event.eventId(), event.seq());
  }

  private int write(Connection conn, Subscription to, List<Found> batch) {
    List<EventEnvelope> copies =
        batch.stream()
            .flatMap(
                one -> session.store().operator().orElseThrow().find(conn, one.eventId()).stream())
            .filter(row -> row.status() == EventStatus.DONE)
            .map(row -> copy(row, to))
            .toList();
    Set<String> there =
        session.store().findExisting(conn, copies.stream().map(EventEnvelope::eventId).toList());
    List<NewEvent> rows =
        copies.stream()
            .filter(copy -> !there.contains(copy.eventId()))
            .map(copy -> new NewEvent(copy, null, true))
            .toList();
    if (!rows.isEmpty()) {
      session.store().insertAll(conn, rows);
    }
    return rows.size();
  }

  private static EventEnvelope copy(OutboxEvent row, Subscription to) {
    return Copies.of(EventEnvelope.fromRow(row), to.name());
  }
}
