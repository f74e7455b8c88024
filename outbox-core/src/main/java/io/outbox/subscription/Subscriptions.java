package io.outbox.subscription;

import io.outbox.internal.store.StoreSession;
import io.outbox.internal.subscribe.Audit;
import io.outbox.internal.subscribe.Backfill;
import io.outbox.internal.subscribe.Copies;
import io.outbox.internal.subscribe.CopyStates;
import io.outbox.model.EventRoute;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.operate.EventFilter;
import io.outbox.operate.EventSummary;
import io.outbox.operate.OperatorAction;
import io.outbox.operate.OutboxOperator;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.OutboxStore;
import io.outbox.spi.SubscriptionStore;
import java.sql.Connection;
import java.time.Clock;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Looks at the stored subscriptions of an outbox table, ends and resumes them, and gives them older
 * events, wherever delivery runs. Throws when the database fails. Thread-safe.
 */
public final class Subscriptions {

  /** How many pending and how many DEAD events are looked at to count copies. */
  public static final int SCAN_LIMIT = 10_000;

  private final StoreSession session;
  private final SubscriptionStore store;
  private final OutboxOperator operator;
  private final Audit audit;

  private Subscriptions(
      StoreSession session, SubscriptionStore store, OutboxOperator operator, Audit audit) {
    this.session = session;
    this.store = store;
    this.operator = operator;
    this.audit = audit;
  }

  /**
   * The subscriptions of the table of this store.
   *
   * @throws IllegalArgumentException if the store has no {@link OutboxStore#subscriptions()} or no
   *     {@link OutboxStore#operator()}
   */
  public static Subscriptions of(ConnectionProvider connectionProvider, OutboxStore outboxStore) {
    Objects.requireNonNull(outboxStore, "outboxStore");
    OutboxOperator operator = OutboxOperator.of(connectionProvider, outboxStore);
    SubscriptionStore store =
        outboxStore
            .subscriptions()
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        outboxStore + " keeps no subscriptions: its subscriptions() is empty"));
    StoreSession session = new StoreSession(connectionProvider, outboxStore);
    return new Subscriptions(session, store, operator, Audit.of(session));
  }

  /** The same, acting under this name, which the audit keeps. */
  public Subscriptions as(String name) {
    return new Subscriptions(session, store, operator.as(name), audit.as(name));
  }

  /** All, ended ones included, by route and name; empty if their table is missing. */
  public List<Subscription> list() {
    return session.read(conn -> store.isInstalled(conn) ? store.list(conn) : List.of());
  }

  /**
   * How far each subscription is, in the order of {@link #list}. Looks at no more than {@value
   * #SCAN_LIMIT} events of a kind: beyond that, counts are lower bounds.
   */
  public List<SubscriptionState> states() {
    return session.read(
        conn -> {
          if (!store.isInstalled(conn)) {
            return List.of();
          }
          CopyStates states = new CopyStates(store.countCopies(conn, SCAN_LIMIT), now(conn));
          return store.list(conn).stream().map(states::of).toList();
        });
  }

  /** The copies of an event, by subscription; empty if it has none, or is a copy itself. */
  public List<EventCopy> copiesOf(OutboxEvent event) {
    Objects.requireNonNull(event, "event");
    return session.read(
        conn -> {
          if (!store.isInstalled(conn)) {
            return List.of();
          }
          Map<String, Subscription> byId = new LinkedHashMap<>();
          store.list(conn).stream()
              .filter(one -> one.route().matches(event.aggregateType(), event.eventType()))
              .forEach(one -> byId.put(Copies.idOf(event.eventId(), one.name()), one));
          Map<String, EventSummary> rows = new HashMap<>();
          session
              .store()
              .operator()
              .orElseThrow()
              .summaries(conn, byId.keySet())
              .forEach(row -> rows.put(row.eventId(), row));
          return byId.entrySet().stream()
              .map(one -> new EventCopy(one.getValue(), one.getKey(), rows.get(one.getKey())))
              .toList();
        });
  }

  /**
   * Ends a subscription: events that are delivered from now on get no copy for it, and its pending
   * copies become DEAD. It stays ended, even if a node with its listener starts, until {@link
   * #resume}.
   *
   * @param reason why, for the audit and the copies; null for none
   * @return how many copies became DEAD
   * @throws IllegalArgumentException if there is no such subscription
   * @throws IllegalStateException if the table for the audit is missing
   */
  public long end(EventRoute route, String name, String reason) {
    Subscription known = find(route, name);
    audit.change(
        "end", target(known), reason, (conn, now) -> store.end(conn, route, name, now) ? 1 : 0);
    EventFilter pending =
        EventFilter.builder()
            .status(EventStatus.NEW, EventStatus.RETRY)
            .aggregateType(known.copyType())
            .eventType(route.eventType())
            .build();
    String why = "the subscription '" + name + "' was ended";
    OperatorAction kill = new OperatorAction.Kill(reason == null ? why : why + ": " + reason);
    return operator.perform(kill, pending).changed();
  }

  /**
   * Resumes an ended subscription with the events that are delivered from now on.
   *
   * @return whether it was ended
   * @throws IllegalArgumentException if there is no such subscription
   * @throws IllegalStateException if the table for the audit is missing
   */
  public boolean resume(EventRoute route, String name) {
    return audit.change(
            "resume",
            target(find(route, name)),
            null,
            (conn, now) -> store.resume(conn, route, name, now) ? 1 : 0)
        > 0;
  }

  /**
   * Gives a subscription the delivered events that are still in the table, the oldest first, in
   * transactions of 200. Events that it has a copy of are left out, so that it can be called again
   * after a failure. Looks through all such events once for every 100,000 of them.
   *
   * @param from events that occurred at this time or later
   * @return how many copies were written
   * @throws IllegalArgumentException if there is no such subscription, or it is ended
   * @throws IllegalStateException if the table for the audit is missing, or the subscription was
   *     ended meanwhile
   */
  public long deliverFrom(EventRoute route, String name, Instant from) {
    Objects.requireNonNull(from, "from");
    Subscription to = find(route, name);
    if (!to.isActive()) {
      throw new IllegalArgumentException(
          "the subscription '" + name + "' of " + route + " was ended; resume it first");
    }
    Audit.Entry entry = audit.begin("deliver", target(to), "from " + from);
    Backfill backfill = new Backfill(session, store, operator, Backfill.AT_A_TIME);
    long written = backfill.run(to, from, entry::add);
    entry.end();
    return written;
  }

  private static String target(Subscription subscription) {
    return "subscription " + subscription.name() + " of " + subscription.route();
  }

  private Instant now(Connection conn) {
    return session.store().currentTime(conn).orElseGet(Clock.systemUTC()::instant);
  }

  private Subscription find(EventRoute route, String name) {
    Objects.requireNonNull(route, "route");
    Objects.requireNonNull(name, "name");
    return list().stream()
        .filter(one -> one.route().equals(route) && one.name().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "there is no subscription '" + name + "' of " + route));
  }
}
