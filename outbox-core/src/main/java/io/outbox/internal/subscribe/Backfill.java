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
import io.outbox.spi.SubscriptionStore;
import io.outbox.subscription.Subscription;
import java.sql.Connection;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.function.BiConsumer;

/** Writes copies of delivered events for one subscription, the oldest first. */
public final class Backfill {

  /** How many events become copies in one transaction. */
  public static final int BATCH = 200;

  /** The ids of so many events are held in memory at a time, to write the oldest first. */
  public static final int AT_A_TIME = 100_000;

  private static final int PAGE = 1_000;

  private final StoreSession session;
  private final SubscriptionStore subscriptions;
  private final OutboxOperator operator;
  private final int atATime;

  /**
   * @param atATime how many are found before they are written; for more, all are looked through
   *     again
   */
  public Backfill(
      StoreSession session, SubscriptionStore subscriptions, OutboxOperator operator, int atATime) {
    this.session = session;
    this.subscriptions = subscriptions;
    this.operator = operator;
    this.atATime = atATime;
  }

  private record Found(String eventId, long seq) {}

  /**
   * Writes the copies that are missing.
   *
   * @param each told of every batch, in its transaction
   * @return how many were written
   */
  public long run(Subscription to, Instant from, BiConsumer<Connection, Integer> each) {
    List<Found> found;
    long written = 0;
    long after = Long.MIN_VALUE;
    do {
      found = oldest(to.route(), from, after);
      for (int i = 0; i < found.size(); i += BATCH) {
        List<Found> batch = found.subList(i, Math.min(found.size(), i + BATCH));
        written +=
            session.persistently(
                conn -> {
                  requireActive(conn, to);
                  int more = write(conn, to, batch);
                  each.accept(conn, more);
                  return more;
                });
        after = batch.get(batch.size() - 1).seq();
      }
    } while (found.size() == atATime);
    return written;
  }

  /** An operator who ends it does not want the rest. */
  private void requireActive(Connection conn, Subscription to) {
    if (subscriptions.active(conn).stream().noneMatch(to::equals)) {
      throw new IllegalStateException(
          "the subscription '"
              + to.name()
              + "' of "
              + to.route()
              + " was ended or changed while it got older events; no more are written");
    }
  }

  /** A search goes from the newest to the oldest. */
  private List<Found> oldest(EventRoute route, Instant from, long after) {
    boolean global = route.aggregateType().equals(AggregateType.GLOBAL.name());
    EventFilter filter =
        EventFilter.builder()
            .status(EventStatus.DONE)
            .eventType(route.eventType())
            .aggregateType(global ? null : route.aggregateType()) // rows may name none
            .createdFrom(from)
            .build();
    PriorityQueue<Found> oldest =
        new PriorityQueue<>(Comparator.comparingLong(Found::seq).reversed());
    String next = null;
    do {
      EventPage page = operator.search(filter, next, PAGE);
      for (EventSummary event : page.events()) {
        if (event.seq() > after && route.matches(event.aggregateType(), event.eventType())) {
          oldest.add(found(event));
          if (oldest.size() > atATime) {
            oldest.remove();
          }
        }
      }
      next = page.next();
    } while (next != null);
    return oldest.stream().sorted(Comparator.comparingLong(Found::seq)).toList();
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
