package io.outbox.internal.subscribe;

import io.outbox.EventEnvelope;
import io.outbox.internal.BatchHook.Batch;
import io.outbox.internal.store.StoreSession;
import io.outbox.internal.write.WriteSteps;
import io.outbox.model.EventRoute;
import io.outbox.spi.SubscriptionStore;
import io.outbox.subscription.Subscription;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Writes the copies of events for the subscriptions that are stored, in one transaction, as the
 * outbox's writer would: after the commit they are delivered from memory or the poller is woken.
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
   * Writes the copies.
   *
   * @param looks whether to look which are there from an earlier try; if not, and some are, nothing
   *     is written
   * @return the routes that have subscriptions
   */
  Set<EventRoute> write(Collection<EventEnvelope> events, boolean looks) {
    WriteSteps.Insert[] last = new WriteSteps.Insert[1];
    Set<EventRoute> expanded;
    try {
      expanded =
          session.persistently(
              conn -> {
                rolledBack(last[0]);
                last[0] = null;
                Map<EventRoute, List<Subscription>> active = active(conn);
                List<EventEnvelope> copies = copies(events, active);
                List<EventEnvelope> missing = looks ? withoutExisting(conn, copies) : copies;
                last[0] = missing.isEmpty() ? null : insert(conn, missing);
                return active.keySet();
              });
    } catch (Throwable failure) {
      rolledBack(last[0]);
      throw failure;
    }
    if (last[0] != null) {
      last[0].committed();
    }
    return expanded;
  }

  private static void rolledBack(WriteSteps.Insert insert) {
    if (insert != null) {
      insert.rolledBack();
    }
  }

  private Map<EventRoute, List<Subscription>> active(Connection conn) {
    List<Subscription> stored = subscriptions.active(conn);
    routes.seen(stored);
    return stored.stream().collect(Collectors.groupingBy(Subscription::route));
  }

  private static List<EventEnvelope> copies(
      Collection<EventEnvelope> events, Map<EventRoute, List<Subscription>> active) {
    List<EventEnvelope> copies = new ArrayList<>();
    for (EventEnvelope event : events) {
      active
          .getOrDefault(EventRoute.of(event), List.of())
          .forEach(subscription -> copies.add(Copies.of(event, subscription.name())));
    }
    return copies;
  }

  private List<EventEnvelope> withoutExisting(Connection conn, List<EventEnvelope> copies) {
    Set<String> there =
        session.store().findExisting(conn, copies.stream().map(EventEnvelope::eventId).toList());
    return copies.stream().filter(copy -> !there.contains(copy.eventId())).toList();
  }

  private WriteSteps.Insert insert(Connection conn, List<EventEnvelope> copies) {
    WriteSteps.Insert insert = steps.get().insertOf(copies);
    try {
      session.store().insertAll(conn, insert.prepare());
    } catch (Throwable failure) {
      insert.failed();
      throw failure;
    }
    Batch written = insert.inserted();
    if (written != null) {
      // No statement of this transaction has failed: the rows are there.
      written.found(Set.copyOf(written.idsInMemory()));
    }
    return insert;
  }
}
