package io.outbox.testing;

import io.outbox.EventEnvelope;
import io.outbox.model.EventRef;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.Backlog;
import io.outbox.spi.NewEvent;
import io.outbox.spi.OutboxStore;
import io.outbox.spi.Outcome;
import io.outbox.spi.OutcomeResult;
import io.outbox.spi.PendingBatch;
import io.outbox.spi.PendingQuery;
import io.outbox.spi.SubscriptionStore;
import io.outbox.spi.lanes.LaneStore;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * A complete store in memory, with leases. It works on the connections of its {@link
 * InMemoryDatabase}; several stores on one database are several nodes. The methods without a
 * connection see committed rows. Thread-safe.
 */
public final class InMemoryOutboxStore implements OutboxStore {

  private final InMemoryDatabase database;

  /** A store with its own database. */
  public InMemoryOutboxStore() {
    this(new InMemoryDatabase());
  }

  public InMemoryOutboxStore(InMemoryDatabase database) {
    this.database = Objects.requireNonNull(database, "database");
  }

  /** Gives the connections to work on. */
  public InMemoryDatabase database() {
    return database;
  }

  /** To make it fail. */
  public Faults faults() {
    return database.faults();
  }

  /** How many events there are. */
  public int size() {
    synchronized (database) {
      return database.committed.size();
    }
  }

  public Optional<OutboxEvent> find(String eventId) {
    synchronized (database) {
      return Optional.ofNullable(database.committed.get(eventId)).map(Row::toEvent);
    }
  }

  /** The events of one status, oldest first. */
  public List<OutboxEvent> events(EventStatus status) {
    return committed(row -> row.status == status.code());
  }

  /** The events that are NEW or RETRY, due or not, oldest first. */
  public List<OutboxEvent> pendingEvents() {
    return committed(Row::isPending);
  }

  private List<OutboxEvent> committed(Predicate<Row> matches) {
    synchronized (database) {
      return database.committed.values().stream()
          .filter(matches)
          .sorted(Row.BY_CREATION)
          .map(Row::toEvent)
          .toList();
    }
  }

  /** Removes all committed events. */
  public void clear() {
    synchronized (database) {
      database.committed.clear();
    }
  }

  /** Writes any number into the status column, even an unknown one. */
  public void setStatusCode(Connection conn, String eventId, int code) {
    change(conn, eventId, row -> true, row -> row.status = code);
  }

  /** Locks the event until the transaction of {@code conn} ends. */
  public void lockRow(Connection conn, String eventId) {
    database.execute(
        conn,
        StoreOperation.MARK,
        List.of(eventId),
        session -> {
          session.lock(eventId);
          return null;
        });
  }

  @Override
  public boolean supportsLeases() {
    return true;
  }

  @Override
  public boolean supportsDeletes() {
    return true;
  }

  @Override
  public Optional<Instant> currentTime(Connection conn) {
    return database.execute(
        conn,
        StoreOperation.CURRENT_TIME,
        List.of(),
        session -> Optional.of(Row.micros(database.clock().instant())));
  }

  @Override
  public void insertNew(Connection conn, EventEnvelope event) {
    insertAll(conn, List.of(NewEvent.unleased(event)));
  }

  @Override
  public void insertAll(Connection conn, List<NewEvent> events) {
    database.execute(
        conn,
        StoreOperation.INSERT,
        events.stream().map(event -> event.envelope().eventId()).toList(),
        session -> {
          events.forEach(event -> insert(session, event));
          return null;
        });
  }

  private void insert(Session session, NewEvent event) {
    String id = event.envelope().eventId();
    session.lock(id);
    if (session.find(id).isPresent()) {
      throw new IllegalStateException("there already is an event " + id);
    }
    session.put(new Row(event, database.nextSeq(), now()));
  }

  @Override
  public int markDone(Connection conn, String eventId) {
    return mark(Outcome.done(EventRef.any(eventId), 0, now()), conn, row -> {});
  }

  @Override
  public int markRetry(Connection conn, String eventId, Instant nextAt, String error) {
    Outcome outcome = Outcome.retry(EventRef.any(eventId), 0, nextAt, error);
    return mark(outcome, conn, row -> row.attempts++);
  }

  @Override
  public int markDead(Connection conn, String eventId, String error) {
    return mark(Outcome.dead(EventRef.any(eventId), 0, now(), error), conn, row -> {});
  }

  @Override
  public int markDeferred(Connection conn, String eventId, Instant nextAt) {
    return mark(Outcome.deferred(EventRef.any(eventId), 0, nextAt), conn, row -> {});
  }

  private int mark(Outcome outcome, Connection conn, Consumer<Row> count) {
    return change(
        conn,
        outcome.eventId(),
        Row::isPending,
        row -> {
          int attempts = row.attempts;
          OutcomeRecording.apply(outcome, row);
          row.attempts = attempts;
          count.accept(row);
        });
  }

  /** Changes one row, if it still matches once nobody else has it locked. */
  private int change(
      Connection conn, String eventId, Predicate<Row> matches, Consumer<Row> change) {
    return database.execute(
        conn,
        StoreOperation.MARK,
        List.of(eventId),
        session -> changeRow(session, eventId, matches, change));
  }

  private static int changeRow(
      Session session, String eventId, Predicate<Row> matches, Consumer<Row> change) {
    if (session.find(eventId).isEmpty()) {
      return 0;
    }
    session.lock(eventId);
    Optional<Row> row = session.find(eventId).filter(matches);
    row.ifPresent(found -> session.put(found.with(change)));
    return row.isPresent() ? 1 : 0;
  }

  @Override
  public List<OutboxEvent> pollPending(
      Connection conn, Instant now, Duration skipRecent, int limit) {
    return database.execute(
        conn,
        StoreOperation.POLL,
        List.of(),
        session ->
            session.rows(PendingSelection.isDue(now, skipRecent)).stream()
                .limit(limit)
                .map(Row::toEvent)
                .toList());
  }

  @Override
  public List<OutboxEvent> claimPending(
      Connection conn,
      String ownerId,
      Instant now,
      Instant lockExpiry,
      Duration skipRecent,
      int limit) {
    Objects.requireNonNull(ownerId, "ownerId");
    return database.execute(
        conn,
        StoreOperation.CLAIM,
        List.of(),
        session ->
            session
                .rows(
                    PendingSelection.isDue(now, skipRecent)
                        .and(row -> !row.isLeasedSince(lockExpiry))
                        .and(row -> !session.isLockedByOther(row.id())))
                .stream()
                .limit(limit)
                .map(row -> PendingSelection.claim(session, row, ownerId, now))
                .map(Row::toEvent)
                .toList());
  }

  @Override
  public PendingBatch fetchPending(Connection conn, PendingQuery query) {
    return database.execute(
        conn,
        StoreOperation.FETCH,
        List.of(),
        session -> new PendingSelection(session, query).fetch());
  }

  @Override
  public List<OutcomeResult> recordOutcomes(Connection conn, List<Outcome> outcomes) {
    return database.execute(
        conn,
        StoreOperation.RECORD_OUTCOMES,
        outcomes.stream().map(Outcome::eventId).toList(),
        session ->
            outcomes.stream().map(outcome -> OutcomeRecording.record(session, outcome)).toList());
  }

  @Override
  public Set<String> renewLeases(Connection conn, Collection<EventRef> leases, Instant lockedAt) {
    return database.execute(
        conn,
        StoreOperation.RENEW_LEASES,
        ids(leases),
        session -> changeHeld(session, leases, row -> renew(row, lockedAt)));
  }

  private static void renew(Row row, Instant lockedAt) {
    row.waitOn();
    row.lockedAt = Row.micros(lockedAt);
  }

  @Override
  public Set<String> releaseLeases(Connection conn, Collection<EventRef> leases) {
    return database.execute(
        conn,
        StoreOperation.RELEASE_LEASES,
        ids(leases),
        session -> {
          changeHeld(session, leases, InMemoryOutboxStore::release);
          Set<String> stillHeld = new HashSet<>();
          for (EventRef lease : leases) {
            session
                .find(lease.eventId())
                .filter(row -> row.isHeldBy(lease))
                .ifPresent(row -> stillHeld.add(lease.eventId()));
          }
          return stillHeld;
        });
  }

  private static void release(Row row) {
    row.lockedBy = null;
    row.lockedAt = null;
    row.claims = Math.max(0, row.claims - 1);
  }

  @Override
  public boolean recordStart(Connection conn, EventRef lease) {
    Set<String> held =
        database.execute(
            conn,
            StoreOperation.RECORD_START,
            ids(List.of(lease)),
            session -> changeHeld(session, List.of(lease), row -> row.starts++));
    return !held.isEmpty();
  }

  private static List<String> ids(Collection<EventRef> leases) {
    return leases.stream().map(EventRef::eventId).toList();
  }

  private static Set<String> changeHeld(
      Session session, Collection<EventRef> leases, Consumer<Row> change) {
    Set<String> held = new HashSet<>();
    for (EventRef lease : leases) {
      // Like an outcome, it never waits for a row that somebody else has locked.
      if (!session.isLockedByOther(lease.eventId())
          && changeRow(session, lease.eventId(), row -> row.isHeldBy(lease), change) > 0) {
        held.add(lease.eventId());
      }
    }
    return held;
  }

  @Override
  public List<OutboxEvent> queryDead(
      Connection conn, String eventType, String aggregateType, int limit) {
    return database.execute(
        conn,
        StoreOperation.QUERY_DEAD,
        List.of(),
        session ->
            session.rows(isDead(eventType, aggregateType)).stream()
                .limit(limit)
                .map(Row::toEvent)
                .toList());
  }

  @Override
  public int countDead(Connection conn, String eventType) {
    return database.execute(
        conn,
        StoreOperation.COUNT_DEAD,
        List.of(),
        session -> session.rows(isDead(eventType, null)).size());
  }

  private static Predicate<Row> isDead(String eventType, String aggregateType) {
    return row ->
        row.status == EventStatus.DEAD.code()
            && (eventType == null || eventType.equals(row.envelope.eventType()))
            && (aggregateType == null || aggregateType.equals(row.envelope.aggregateType()));
  }

  @Override
  public int replayDead(Connection conn, String eventId) {
    return database.execute(
        conn,
        StoreOperation.REPLAY_DEAD,
        List.of(eventId),
        session -> changeRow(session, eventId, isDead(null, null), this::replay));
  }

  private void replay(Row row) {
    row.endLease();
    row.status = EventStatus.NEW.code();
    row.leaseNumber++;
    row.attempts = 0;
    row.availableAt = Row.micros(now());
    row.replayedAt = row.availableAt;
    row.waitingSince = null;
    row.doneAt = null;
    row.lastError = null;
  }

  @Override
  public Set<String> findExisting(Connection conn, Collection<String> eventIds) {
    return database.execute(
        conn,
        StoreOperation.FIND_EXISTING,
        eventIds,
        session -> {
          Set<String> existing = new HashSet<>(eventIds);
          existing.removeIf(id -> session.find(id).isEmpty());
          return existing;
        });
  }

  @Override
  public Optional<Backlog> backlog(Connection conn, int cap) {
    return database.execute(
        conn,
        StoreOperation.BACKLOG,
        List.of(),
        session -> {
          Map<EventStatus, Long> counts = new EnumMap<>(EventStatus.class);
          for (EventStatus status : EventStatus.values()) {
            counts.put(status, (long) session.rows(row -> row.status == status.code()).size());
          }
          Instant oldest =
              session.rows(Row::isPending).stream()
                  .map(Row::firstDue)
                  .min(Comparator.naturalOrder())
                  .orElse(null);
          return Optional.of(new Backlog(counts, cap, oldest));
        });
  }

  @Override
  public long countUnknownStatus(Connection conn) {
    return database.execute(
        conn,
        StoreOperation.COUNT_UNKNOWN_STATUS,
        List.of(),
        session -> (long) session.rows(row -> row.status < 0 || row.status > 3).size());
  }

  @Override
  public Optional<LaneStore> lanes() {
    return Optional.of(new InMemoryLanes(database));
  }

  @Override
  public Optional<SubscriptionStore> subscriptions() {
    return Optional.of(database.subscriptions);
  }

  private Instant now() {
    return database.clock().instant();
  }
}
