package io.outbox.internal.subscribe;

import io.outbox.EventEnvelope;
import io.outbox.internal.BatchHook.Batch;
import io.outbox.internal.BatchHook.Rows;
import io.outbox.internal.store.StoreSession;
import io.outbox.internal.write.WriteSteps;
import io.outbox.model.EventRoute;
import io.outbox.spi.NewEvent;
import io.outbox.spi.SubscriptionStore;
import io.outbox.subscription.Subscription;
import java.sql.Connection;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Writes the copies of events for the subscriptions that are stored. Copies that nobody delivers
 * yet are written as the outbox's writer would: after the commit they are delivered from memory or
 * the poller is woken.
 */
final class CopyWriter {

  private final StoreSession session;
  private final SubscriptionStore subscriptions;
  private final StoredRoutes routes;
  private final Supplier<WriteSteps> steps;

  CopyWriter(
      StoreSession session,
      SubscriptionStore subscriptions,
      StoredRoutes routes,
      Supplier<WriteSteps> steps) {
    this.session = session;
    this.subscriptions = subscriptions;
    this.routes = routes;
    this.steps = steps;
  }

  /**
   * What is to be written.
   *
   * @param expanded the routes that have subscriptions
   * @param missing of each event, the copies that are not in the table
   */
  record Plan(Set<EventRoute> expanded, Map<EventEnvelope, List<EventEnvelope>> missing) {}

  /**
   * Looks for copies of every event that may have some: a table in partitions would take an id of
   * another partition again.
   */
  Plan plan(List<Expanding> events) {
    return session.lockingNothing(conn -> plan(conn, events));
  }

  private Plan plan(Connection conn, List<Expanding> events) {
    List<Subscription> stored = subscriptions.active(conn);
    routes.seen(stored);
    Map<EventRoute, List<Subscription>> active =
        stored.stream().collect(Collectors.groupingBy(Subscription::route));
    Map<EventEnvelope, List<EventEnvelope>> copies = new LinkedHashMap<>();
    for (Expanding one : events) {
      copies.put(
          one.event,
          active.getOrDefault(EventRoute.of(one.event), List.of()).stream()
              .map(subscription -> Copies.of(one.event, subscription.name()))
              .toList());
    }
    Set<String> there =
        existing(
            conn,
            events.stream()
                .filter(Expanding::mayHaveCopies)
                .flatMap(one -> copies.get(one.event).stream())
                .toList());
    if (!there.isEmpty()) {
      copies.replaceAll((event, all) -> without(there, all));
    }
    return new Plan(active.keySet(), copies);
  }

  private static List<EventEnvelope> without(Set<String> there, List<EventEnvelope> copies) {
    return copies.stream().filter(copy -> !there.contains(copy.eventId())).toList();
  }

  private Set<String> existing(Connection conn, List<EventEnvelope> copies) {
    return copies.isEmpty()
        ? Set.of()
        : session.store().findExisting(conn, copies.stream().map(EventEnvelope::eventId).toList());
  }

  /** Writes what became of copies, and those that nobody delivers yet, in one transaction. */
  void write(List<Expanding> events) {
    boolean looks = events.stream().anyMatch(Expanding::mayBeThere);
    Set<String> there =
        looks ? session.lockingNothing(conn -> existing(conn, copiesOf(events))) : Set.of();
    List<EventEnvelope> first =
        events.stream().flatMap(one -> one.writtenFirst(there).stream()).toList();
    List<Rows> rows = events.stream().map(one -> one.rows(there)).toList();
    WriteSteps.Insert insert = first.isEmpty() ? null : insert(first, rows);
    if (insert == null && !rows.stream().allMatch(CopyWriter::isEmpty)) {
      session.persistently(conn -> insert(conn, List.of(), rows));
    }
    events.forEach(Expanding::written);
    if (insert != null) {
      insert.committed();
    }
  }

  private static List<EventEnvelope> copiesOf(List<Expanding> events) {
    return events.stream().flatMap(one -> one.copies().stream()).toList();
  }

  private static boolean isEmpty(Rows rows) {
    return rows.finished().isEmpty() && rows.pending().isEmpty();
  }

  private WriteSteps.Insert insert(List<EventEnvelope> first, List<Rows> rows) {
    WriteSteps.Insert[] last = new WriteSteps.Insert[1];
    try {
      session.persistently(
          conn -> {
            rolledBack(last[0]);
            last[0] = null;
            WriteSteps.Insert insert = steps.get().insertOf(first);
            try {
              insert(conn, insert.prepare(), rows);
            } catch (Throwable failure) {
              insert.failed();
              throw failure;
            }
            Batch written = insert.inserted();
            if (written != null) {
              // No statement of this transaction has failed: the rows are there.
              written.found(Set.copyOf(written.idsInMemory()));
            }
            last[0] = insert;
            return null;
          });
    } catch (Throwable failure) {
      rolledBack(last[0]);
      throw failure;
    }
    return last[0];
  }

  private static void rolledBack(WriteSteps.Insert insert) {
    if (insert != null) {
      insert.rolledBack();
    }
  }

  private Void insert(Connection conn, List<NewEvent> first, List<Rows> rows) {
    List<NewEvent> pending = new ArrayList<>(first);
    rows.forEach(one -> pending.addAll(one.pending()));
    if (!pending.isEmpty()) {
      session.store().insertAll(conn, pending);
    }
    List<Rows> finished = rows.stream().filter(one -> !one.finished().isEmpty()).toList();
    if (!finished.isEmpty()) {
      session
          .store()
          .insertFinished(
              conn,
              finished.stream().flatMap(one -> one.finished().stream()).toList(),
              finished.stream().map(Rows::doneAt).max(Instant::compareTo).orElseThrow());
    }
    return null;
  }
}
