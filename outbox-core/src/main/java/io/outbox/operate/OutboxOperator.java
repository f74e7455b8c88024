package io.outbox.operate;

import io.outbox.internal.Checks;
import io.outbox.internal.TextChecks;
import io.outbox.internal.store.EventsInFront;
import io.outbox.internal.store.StoreSession;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.Member;
import io.outbox.spi.OperatorStore;
import io.outbox.spi.OutboxStore;
import io.outbox.spi.lanes.KeyBlock;
import io.outbox.subscription.Subscriptions;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiPredicate;
import java.util.function.ToIntBiFunction;
import java.util.stream.Collectors;

/**
 * Looks at an outbox table and acts on it, wherever delivery runs. Unlike {@link
 * io.outbox.dead.DeadEventManager} it throws when the database fails, so that a tool can tell an
 * outage from an empty table. Every action is written to the audit. Thread-safe.
 */
public final class OutboxOperator {

  /** How many events are changed in one transaction at most. */
  public static final int BATCH = 500;

  /** How many rows a search reads at most. */
  public static final int SCAN_LIMIT = 20_000;

  /** How far a preview counts. */
  public static final int PREVIEW_LIMIT = 100_000;

  private static final int SAMPLE = 10;
  private static final int MANY_BLOCKS = 1000;
  private static final int LOCKED_TRIES = 10;
  private static final Duration LOCKED_WAIT = Duration.ofMillis(20);

  private final StoreSession session;
  private final OperatorStore store;
  private final Duration stuckAfter;
  private final String actor;

  private OutboxOperator(
      StoreSession session, OperatorStore store, Duration stuckAfter, String actor) {
    this.session = session;
    this.store = store;
    this.stuckAfter = stuckAfter;
    this.actor = actor;
  }

  /**
   * An operator for the table of this store, under the name of the process's user.
   *
   * @throws IllegalArgumentException if the store has no {@link OutboxStore#operator()}
   */
  public static OutboxOperator of(ConnectionProvider connectionProvider, OutboxStore outboxStore) {
    OperatorStore store =
        outboxStore
            .operator()
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        outboxStore + " cannot be operated: its operator() is empty"));
    String user = System.getProperty("user.name", "unknown");
    return new OutboxOperator(
        new StoreSession(connectionProvider, outboxStore), store, Duration.ofMinutes(5), user);
  }

  /** The same, acting under this name. */
  public OutboxOperator as(String name) {
    if (name.isBlank()) {
      throw new IllegalArgumentException("an operator needs a name, for the audit");
    }
    return new OutboxOperator(session, store, stuckAfter, name);
  }

  /**
   * The same, where leases count as stuck if they were not renewed for this long. Default: 5
   * minutes, the usual claim timeout.
   */
  public OutboxOperator stuckAfter(Duration value) {
    return new OutboxOperator(session, store, Checks.positive("stuckAfter", value), actor);
  }

  /** The stored subscriptions, acting under the same name; empty if the store keeps none. */
  public Optional<Subscriptions> subscriptions() {
    return session
        .store()
        .subscriptions()
        .map(stored -> Subscriptions.of(session.connections(), session.store()).as(actor));
  }

  // ---- look

  /**
   * The server and the database it looks at, for people: for example {@code
   * postgresql://db.example.org:5432/shop}, without user, password and options.
   */
  public String place() {
    return session.read(DatabasePlace::of);
  }

  public Overview overview() {
    return session.read(
        conn -> {
          Instant now = now(conn);
          return store.overview(conn, now, stuckBefore(now));
        });
  }

  /**
   * Events that match, the newest first. Looks at no more than {@value #SCAN_LIMIT} rows: see
   * {@link EventPage#scanLimited()}.
   *
   * @param after the {@link EventPage#next()} of the last page; null for the first
   */
  public EventPage search(EventFilter filter, String after, int limit) {
    Objects.requireNonNull(filter, "filter");
    Checks.atLeast(1, "limit", limit);
    return session.read(
        conn -> store.search(conn, filter, after, Math.min(limit, 1000), SCAN_LIMIT));
  }

  public Optional<OutboxEvent> find(String eventId) {
    Objects.requireNonNull(eventId, "eventId");
    // No database has an id with a NUL, and some refuse to look for it.
    return eventId.indexOf('\0') < 0
        ? session.read(conn -> store.find(conn, eventId))
        : Optional.empty();
  }

  /** Events with the same key around this one, in the order they were written, without it. */
  public List<EventSummary> neighbors(OutboxEvent event, int each) {
    Objects.requireNonNull(event, "event");
    Checks.atLeast(1, "each", each);
    return session.read(conn -> store.neighbors(conn, event, Math.min(each, 100), SCAN_LIMIT));
  }

  /** Keys that wait because one of their events is DEAD, the oldest first. */
  public List<KeyBlock> blockedKeys(int limit) {
    Checks.atLeast(1, "limit", limit);
    return session.read(conn -> store.blockedKeys(conn, Math.min(limit, 1000)));
  }

  /** Whether a key waits because this event of it is DEAD; {@link #skip} lets it go on. */
  public boolean blocksItsKey(OutboxEvent event) {
    Objects.requireNonNull(event, "event");
    return session.read(conn -> store.blocksOf(conn, Set.of(event.key()))).stream()
        .anyMatch(block -> block.eventId().equals(event.eventId()));
  }

  /** A filter for events whose lease was not renewed for {@link #stuckAfter}. */
  public EventFilter stuckLeases() {
    Instant before = session.read(conn -> stuckBefore(now(conn)));
    return EventFilter.builder().leasedBefore(before).build();
  }

  /**
   * The nodes that deliver from the table or wait to, the oldest first; empty if that is not kept.
   */
  public List<Member> members() {
    return session.read(store::members);
  }

  /** The reasons why events wait now; an event behind another one just waits for its turn. */
  public WaitReasons waitReasons() {
    return waitReasons(List.of());
  }

  /** What events wait for now, for these in particular. */
  public WaitReasons waitReasons(Collection<EventSummary> events) {
    List<EventSummary> asked = List.copyOf(Objects.requireNonNull(events, "events"));
    return session.lockingNothing(
        conn -> {
          Instant now = now(conn);
          List<Member> members = store.members(conn);
          return new WaitReasons(
              now,
              store.pauses(conn),
              blocks(conn, asked),
              members,
              new EventsInFront(session.store(), members).of(conn, asked, now));
        });
  }

  /** Some, and those of these events. */
  private List<KeyBlock> blocks(Connection conn, List<EventSummary> events) {
    List<KeyBlock> blocks = new ArrayList<>(store.blockedKeys(conn, MANY_BLOCKS));
    if (blocks.size() == MANY_BLOCKS) {
      blocks.addAll(
          store.blocksOf(conn, events.stream().map(EventSummary::key).collect(Collectors.toSet())));
    }
    return blocks;
  }

  public List<DeliveryPause> pauses() {
    return session.read(store::pauses);
  }

  /**
   * What operators did, the newest first.
   *
   * @param before only entries with a smaller id; null for the newest
   */
  public List<AuditEntry> audit(Long before, int limit) {
    Checks.atLeast(1, "limit", limit);
    return session.read(conn -> store.audit(conn, before, Math.min(limit, 1000)));
  }

  // ---- act

  /** What {@link #perform} would change now; counts no further than {@value #PREVIEW_LIMIT}. */
  public Preview preview(OperatorAction action, EventFilter filter) {
    return new BulkAction(session, store, action, filter).preview(SAMPLE, PREVIEW_LIMIT);
  }

  /**
   * Performs the action on all matching events, in batches of {@value #BATCH}, each in a
   * transaction. Events that begin to match during the run may be left out; no event is changed
   * twice.
   *
   * @param limit how many events at most
   * @param listener told after each batch; may stop it
   * @return how far it came
   * @throws IllegalStateException if the table for the audit is missing
   */
  public ActionProgress perform(
      OperatorAction action, EventFilter filter, long limit, ActionProgress.Listener listener) {
    Objects.requireNonNull(listener, "listener");
    Checks.atLeast(1, "limit", limit);
    return new BulkAction(session, store, action, filter).perform(actor, BATCH, limit, listener);
  }

  /** Performs the action on all matching events; see the other form. */
  public ActionProgress perform(OperatorAction action, EventFilter filter) {
    return perform(action, filter, Long.MAX_VALUE, ActionProgress.Listener.NONE);
  }

  /** Performs the action on one event; false if it does not exist, or the action does not apply. */
  public boolean perform(OperatorAction action, String eventId) {
    return perform(action, List.of(Objects.requireNonNull(eventId, "eventId"))) > 0;
  }

  /** Performs the action on some events; returns how many were changed. */
  public int perform(OperatorAction action, Collection<String> eventIds) {
    Objects.requireNonNull(action, "action");
    List<String> ids = List.copyOf(eventIds);
    if (ids.size() > BATCH) {
      throw new IllegalArgumentException(
          "at most " + BATCH + " events can be named, not " + ids.size() + "; use a filter");
    }
    return audited(
        action.name(),
        "id=" + String.join(",", ids),
        action.detail(),
        (conn, now) -> changeEach(conn, action, ids, now));
  }

  /** Waits a little for locked rows. */
  private int changeEach(Connection conn, OperatorAction action, List<String> ids, Instant now) {
    Set<String> left = new TreeSet<>(ids);
    int changed = 0;
    for (int attempt = 1; attempt <= LOCKED_TRIES; attempt++) {
      List<EventSummary> events =
          store.summaries(conn, left).stream().filter(action::appliesTo).toList();
      Set<String> done = events.isEmpty() ? Set.of() : store.change(conn, action, events, now);
      changed += done.size();
      left.removeAll(done);
      if (events.size() == done.size()) {
        break;
      }
      LockSupport.parkNanos(LOCKED_WAIT.toNanos());
    }
    return changed;
  }

  /**
   * Lets a key continue past an event: makes the event DEAD if it is pending, and lifts the block
   * of its key.
   *
   * @return false if there was nothing to do
   */
  public boolean skip(String eventId, String reason) {
    Objects.requireNonNull(eventId, "eventId");
    OperatorAction kill = new OperatorAction.Kill(reason);
    return auditedOne(
        "skip",
        "id=" + eventId,
        reason,
        (conn, now) -> {
          int killed = changeEach(conn, kill, List.of(eventId), now);
          return store.unblock(conn, eventId) || killed > 0;
        });
  }

  /**
   * Halts delivery of these events on all nodes, within seconds, until {@link #resume}, even after
   * restarts. Running deliveries finish.
   *
   * @param aggregateType null for any
   * @param eventType null for any
   * @return false if just these were paused already
   */
  public boolean pause(String aggregateType, String eventType, String reason) {
    requireRoute(aggregateType, eventType);
    return auditedOne(
        "pause",
        route(aggregateType, eventType),
        reason,
        (conn, now) ->
            store.pause(conn, new DeliveryPause(aggregateType, eventType, actor, now, reason)));
  }

  /**
   * Ends the pause with exactly these types; returns whether there was one. Other pauses may still
   * halt some of the events.
   */
  public boolean resume(String aggregateType, String eventType) {
    requireRoute(aggregateType, eventType);
    return auditedOne(
        "resume",
        route(aggregateType, eventType),
        null,
        (conn, now) -> store.resume(conn, aggregateType, eventType));
  }

  /**
   * Halts delivery of a tenant's events on all nodes, within seconds, until {@link #resumeTenant}.
   * A halted event is looked at again from time to time, and goes on within minutes of the end.
   *
   * @return false if it was paused already
   * @throws IllegalStateException if the table for it is missing
   */
  public boolean pauseTenant(String tenantId, String reason) {
    String tenant = TextChecks.column("tenantId", requireName("tenantId", tenantId), 64);
    return hold("tenant " + tenant, reason, tenant, null);
  }

  /** Ends the pause of a tenant; returns whether there was one. */
  public boolean resumeTenant(String tenantId) {
    String tenant = requireName("tenantId", tenantId);
    return endHold("tenant " + tenant, tenant, null);
  }

  /**
   * Halts delivery to a destination, as {@link #pauseTenant} does. Only listeners that are {@link
   * io.outbox.publish.Addressed} name their destinations, as all publishers do.
   *
   * @param destination as the listener names it, for example {@code topic orders}
   * @return false if it was paused already
   * @throws IllegalStateException if the table for it is missing
   */
  public boolean pauseDestination(String destination, String reason) {
    String name = TextChecks.column("destination", requireName("destination", destination), 500);
    return hold("destination " + name, reason, null, name);
  }

  /** Ends the pause of a destination; returns whether there was one. */
  public boolean resumeDestination(String destination) {
    String name = requireName("destination", destination);
    return endHold("destination " + name, null, name);
  }

  private boolean hold(String what, String reason, String tenantId, String destination) {
    return auditedOne(
        "pause",
        what,
        reason,
        (conn, now) ->
            store.hold(
                conn, new DeliveryPause(null, null, tenantId, destination, actor, now, reason)));
  }

  private boolean endHold(String what, String tenantId, String destination) {
    return auditedOne(
        "resume", what, null, (conn, now) -> store.endHold(conn, tenantId, destination));
  }

  private static String requireName(String name, String value) {
    if (Objects.requireNonNull(value, name).isEmpty()) {
      throw new IllegalArgumentException(name + " must not be empty");
    }
    return value;
  }

  /** Empty is not any: nobody should pause everything by a field left empty. */
  private static void requireRoute(String aggregateType, String eventType) {
    if ("".equals(aggregateType) || "".equals(eventType)) {
      throw new IllegalArgumentException("a type is not empty; null stands for any");
    }
    TextChecks.column("aggregateType", aggregateType, 64);
    TextChecks.column("eventType", eventType, 128);
  }

  private static String route(String aggregateType, String eventType) {
    return (aggregateType == null ? "*" : aggregateType)
        + "/"
        + (eventType == null ? "*" : eventType);
  }

  /** An action and its entry in the audit, in one transaction. */
  private int audited(
      String what, String filter, String detail, ToIntBiFunction<Connection, Instant> change) {
    return session.inTransaction(
        conn -> {
          BulkAction.requireInstalled(store, conn);
          Instant now = now(conn);
          long audit =
              store.openAudit(conn, new AuditEntry(0, actor, what, now, filter, detail, 0, null));
          int changed = change.applyAsInt(conn, now);
          store.updateAudit(conn, audit, changed, now);
          return changed;
        });
  }

  private boolean auditedOne(
      String what, String filter, String detail, BiPredicate<Connection, Instant> change) {
    return audited(what, filter, detail, (conn, now) -> change.test(conn, now) ? 1 : 0) > 0;
  }

  private Instant now(Connection conn) {
    return BulkAction.now(session, conn);
  }

  private Instant stuckBefore(Instant now) {
    return now.minus(stuckAfter);
  }
}
