package io.outbox.fakes;

import io.outbox.EventEnvelope;
import io.outbox.model.EventRef;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.Backlog;
import io.outbox.spi.NewEvent;
import io.outbox.spi.OperatorStore;
import io.outbox.spi.OutboxStore;
import io.outbox.spi.Outcome;
import io.outbox.spi.OutcomeResult;
import io.outbox.spi.PendingBatch;
import io.outbox.spi.PendingQuery;
import io.outbox.spi.PollCursor;
import java.sql.Connection;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** A store on a {@link FakeDatabase} that can do everything, and can be made to fail. */
public final class FakeStore implements OutboxStore {

  public final FakeDatabase database;
  private final Clock clock;
  private final Map<String, Consumer<Object>> before = new ConcurrentHashMap<>();
  private final Map<String, Consumer<Object>> after = new ConcurrentHashMap<>();
  private final List<String> calls = new CopyOnWriteArrayList<>();

  /** Whether polls return a cursor and the next due time. */
  public volatile boolean learned = true;

  /** Whether outcomes are written without a transaction. */
  public volatile boolean atOnce;

  /** Whether rows may be gone before their transaction commits. */
  public volatile boolean losesRows;

  /** What operators did; null for a store that they cannot use. */
  public volatile FakeOperator operator;

  private volatile Backlog backlog; // null: it cannot tell

  public FakeStore(FakeDatabase database) {
    this(database, Clock.systemUTC());
  }

  public FakeStore(FakeDatabase database, Clock clock) {
    this.database = database;
    this.clock = clock;
  }

  /** Runs {@code fault} with the main argument before each call of {@code method}. */
  public FakeStore before(String method, Consumer<Object> fault) {
    before.put(method, fault);
    return this;
  }

  /** Runs {@code fault} with the main argument after each call of {@code method}. */
  public FakeStore after(String method, Consumer<Object> fault) {
    after.put(method, fault);
    return this;
  }

  public FakeStore heal() {
    before.clear();
    after.clear();
    return this;
  }

  public long calls(String method) {
    return calls.stream().filter(method::equals).count();
  }

  /** The row as committed; fails if there is none. */
  public OutboxEvent row(String id) {
    FakeRow row = database.committed().get(id);
    if (row == null) {
      throw new AssertionError("no row " + id);
    }
    return row.read();
  }

  /** The event as it was inserted. */
  public EventEnvelope written(String id) {
    return database.committed().get(id).envelope;
  }

  public boolean has(String id) {
    return database.committed().containsKey(id);
  }

  public EventStatus status(String id) {
    return row(id).status();
  }

  public Collection<OutboxEvent> rows() {
    return database.committed().values().stream().map(FakeRow::read).toList();
  }

  public long count(EventStatus status) {
    return rows().stream().filter(row -> row.status() == status).count();
  }

  public void seed(EventEnvelope event) {
    database.seed(new FakeRow(event));
  }

  public void seed(EventEnvelope event, Consumer<FakeRow> changes) {
    FakeRow row = new FakeRow(event);
    changes.accept(row);
    database.seed(row);
  }

  private void enter(String method, Connection conn, Object argument) {
    calls.add(method);
    Consumer<Object> fault = before.get(method);
    if (fault != null) {
      fault.accept(argument);
    }
    database.touch(conn);
  }

  private void leave(String method, Object argument) {
    Consumer<Object> fault = after.get(method);
    if (fault != null) {
      fault.accept(argument);
    }
  }

  private int update(
      Connection conn, String id, Predicate<FakeRow> where, Consumer<FakeRow> change) {
    synchronized (database) {
      FakeRow row = database.get(conn, id);
      if (row == null || !where.test(row)) {
        return 0;
      }
      if (database.isLocked(conn, id)) {
        throw new IllegalStateException("row " + id + " is locked");
      }
      change.accept(row);
      database.put(conn, row);
      return 1;
    }
  }

  private static void unlock(FakeRow row) {
    row.lockedBy = null;
    row.lockedAt = null;
    row.claims = 0;
    row.starts = 0;
  }

  // ---- the specification's methods

  @Override
  public void insertNew(Connection conn, EventEnvelope event) {
    enter("insertNew", conn, event);
    insert(conn, NewEvent.unleased(event));
  }

  @Override
  public int markDone(Connection conn, String eventId) {
    enter("markDone", conn, eventId);
    return mark(conn, eventId, row -> row.status = EventStatus.DONE);
  }

  @Override
  public int markRetry(Connection conn, String eventId, Instant nextAt, String error) {
    enter("markRetry", conn, eventId);
    return mark(
        conn,
        eventId,
        row -> {
          row.status = EventStatus.RETRY;
          row.attempts++;
          row.availableAt = nextAt;
          row.lastError = error;
        });
  }

  @Override
  public int markDead(Connection conn, String eventId, String error) {
    enter("markDead", conn, eventId);
    return mark(
        conn,
        eventId,
        row -> {
          row.status = EventStatus.DEAD;
          row.lastError = error;
        });
  }

  @Override
  public int markDeferred(Connection conn, String eventId, Instant nextAt) {
    enter("markDeferred", conn, eventId);
    return mark(
        conn,
        eventId,
        row -> {
          row.status = EventStatus.NEW;
          row.availableAt = nextAt;
        });
  }

  private int mark(Connection conn, String id, Consumer<FakeRow> change) {
    return update(
        conn,
        id,
        row -> row.status.isPending(),
        row -> {
          unlock(row);
          change.accept(row);
        });
  }

  @Override
  public List<OutboxEvent> pollPending(
      Connection conn, Instant now, Duration skipRecent, int limit) {
    enter("pollPending", conn, limit);
    List<OutboxEvent> rows =
        fetch(conn, new PendingQuery(now, skipRecent, limit, now, null, null)).events();
    leave("pollPending", rows);
    return rows;
  }

  @Override
  public List<OutboxEvent> claimPending(
      Connection conn,
      String ownerId,
      Instant now,
      Instant lockExpiry,
      Duration skipRecent,
      int limit) {
    enter("claimPending", conn, limit);
    return fetch(conn, new PendingQuery(now, skipRecent, limit, lockExpiry, ownerId, null))
        .events();
  }

  @Override
  public List<OutboxEvent> queryDead(
      Connection conn, String eventType, String aggregateType, int limit) {
    enter("queryDead", conn, limit);
    return rows().stream()
        .filter(row -> row.status() == EventStatus.DEAD)
        .filter(row -> eventType == null || eventType.equals(row.eventType()))
        .filter(row -> aggregateType == null || aggregateType.equals(row.aggregateType()))
        .limit(limit)
        .toList();
  }

  @Override
  public int replayDead(Connection conn, String eventId) {
    enter("replayDead", conn, eventId);
    return update(
        conn,
        eventId,
        row -> row.status == EventStatus.DEAD,
        row -> {
          unlock(row);
          row.status = EventStatus.NEW;
          row.attempts = 0;
          row.replayedAt = clock.instant();
          row.lastError = null;
          row.leaseNo++;
        });
  }

  @Override
  public int countDead(Connection conn, String eventType) {
    enter("countDead", conn, eventType);
    return (int)
        rows().stream()
            .filter(row -> row.status() == EventStatus.DEAD)
            .filter(row -> eventType == null || eventType.equals(row.eventType()))
            .count();
  }

  // ---- the rest

  /** It has no need to, but may pretend. */
  public volatile boolean limitsBytes;

  @Override
  public boolean limitsBytes() {
    return limitsBytes;
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
  public void insertAll(Connection conn, List<NewEvent> events) {
    enter("insertAll", conn, events);
    events.forEach(event -> insert(conn, event));
    leave("insertAll", events);
  }

  private void insert(Connection conn, NewEvent event) {
    synchronized (database) {
      String id = event.envelope().eventId();
      if (database.get(conn, id) != null || database.isLocked(conn, id)) {
        throw new IllegalStateException("duplicate key " + id);
      }
      FakeRow row = new FakeRow(event.envelope());
      Instant now = clock.instant();
      if (!event.envelope().isDelayed() && row.availableAt.isAfter(now)) {
        row.availableAt = now;
      }
      if (event.lease() != null) {
        row.lockedBy = event.lease().owner();
        row.lockedAt = event.lease().lockedAt();
        row.leaseNo = event.lease().number();
        row.claims = 1;
      }
      database.put(conn, row);
    }
  }

  @Override
  public Optional<OperatorStore> operator() {
    return Optional.ofNullable(operator).map(FakeOperator::store);
  }

  @Override
  public Optional<Instant> currentTime(Connection conn) {
    enter("currentTime", conn, null);
    return Optional.of(clock.instant());
  }

  @Override
  public void prepareTransaction(Connection conn) {
    enter("prepareTransaction", conn, null);
  }

  @Override
  public PendingBatch fetchPending(Connection conn, PendingQuery query) {
    enter("fetchPending", conn, query);
    PendingBatch batch = fetch(conn, query);
    leave("fetchPending", batch);
    return batch;
  }

  private PendingBatch fetch(Connection conn, PendingQuery query) {
    synchronized (database) {
      List<FakeRow> rows = new ArrayList<>();
      Instant nextDue = null;
      for (FakeRow row : database.committed().values()) {
        if (!row.status.isPending() || row.createdAt.isAfter(query.createdUntil())) {
          continue;
        }
        OutboxEvent event = row.read();
        if (query.without().stream()
            .anyMatch(route -> route.matches(event.aggregateType(), event.eventType()))) {
          continue;
        }
        if (row.availableAt.isAfter(query.now())) {
          nextDue =
              nextDue == null || row.availableAt.isBefore(nextDue) ? row.availableAt : nextDue;
        } else if (query.claimAs() == null || isClaimable(conn, row, query)) {
          rows.add(row);
        }
      }
      rows.sort(Comparator.comparing((FakeRow row) -> row.availableAt).thenComparing(FakeRow::seq));
      rows.removeIf(row -> query.after() != null && !isAfter(row, query.after()));
      List<FakeRow> chosen = new ArrayList<>(rows.subList(0, Math.min(query.limit(), rows.size())));
      Optional<PollCursor> cursor =
          !learned || chosen.isEmpty()
              ? Optional.empty()
              : Optional.of(cursorOf(chosen.get(chosen.size() - 1)));
      chosen.sort(Comparator.comparing((FakeRow row) -> row.createdAt).thenComparing(FakeRow::seq));
      if (query.claimAs() != null) {
        chosen.forEach(row -> claim(conn, row, query));
      }
      return new PendingBatch(
          chosen.stream().map(FakeRow::read).toList(),
          cursor,
          learned ? Optional.ofNullable(nextDue) : Optional.empty());
    }
  }

  private boolean isClaimable(Connection conn, FakeRow row, PendingQuery query) {
    return !database.isLocked(conn, row.id)
        && (row.lockedBy == null || row.lockedAt.isBefore(query.lockExpiry()));
  }

  private static boolean isAfter(FakeRow row, PollCursor cursor) {
    int byTime = row.availableAt.compareTo(cursor.dueAt());
    return byTime > 0 || byTime == 0 && row.seq() > cursor.dueSeq();
  }

  private static PollCursor cursorOf(FakeRow row) {
    return new PollCursor(row.availableAt, row.seq(), null, 0);
  }

  private void claim(Connection conn, FakeRow row, PendingQuery query) {
    row.lockedBy = query.claimAs();
    row.lockedAt = query.now();
    row.leaseNo++;
    row.claims++;
    database.put(conn, row);
  }

  @Override
  public List<OutcomeResult> recordOutcomes(Connection conn, List<Outcome> outcomes) {
    enter("recordOutcomes", conn, outcomes);
    List<OutcomeResult> results = new ArrayList<>();
    outcomes.forEach(outcome -> results.add(record(conn, outcome)));
    leave("recordOutcomes", results);
    return results;
  }

  @Override
  public boolean recordsAtOnce(List<Outcome> outcomes) {
    return atOnce;
  }

  private OutcomeResult record(Connection conn, Outcome outcome) {
    synchronized (database) {
      FakeRow row = database.get(conn, outcome.eventId());
      if (row == null) {
        return outcome.deletesRow() ? OutcomeResult.ALREADY_THERE : OutcomeResult.LOST;
      }
      if (database.isLocked(conn, row.id)) {
        return OutcomeResult.LOCKED;
      }
      if (isThere(row, outcome)) {
        return OutcomeResult.ALREADY_THERE;
      }
      if (!row.status.isPending() || !outcome.ref().matches(row.leaseNo, row.lockedBy)) {
        return OutcomeResult.LOST;
      }
      if (outcome.deletesRow()) {
        database.delete(conn, row.id);
        return OutcomeResult.WRITTEN;
      }
      unlock(row);
      row.status = outcome.status();
      row.attempts = outcome.attempts();
      row.lastError = outcome.error();
      row.availableAt = outcome.status().isPending() ? outcome.at() : row.availableAt;
      row.doneAt = outcome.status().isPending() ? null : outcome.at();
      database.put(conn, row);
      return OutcomeResult.WRITTEN;
    }
  }

  private static boolean isThere(FakeRow row, Outcome outcome) {
    Instant at = outcome.status().isPending() ? row.availableAt : row.doneAt;
    return !outcome.deletesRow()
        && row.lockedBy == null
        && row.status == outcome.status()
        && row.attempts == outcome.attempts()
        && outcome.at().equals(at)
        && (outcome.ref().leaseNumber() == EventRef.ANY_LEASE
            || outcome.ref().leaseNumber() == row.leaseNo);
  }

  @Override
  public Set<String> renewLeases(Connection conn, Collection<EventRef> leases, Instant lockedAt) {
    enter("renewLeases", conn, leases);
    Set<String> renewed = new HashSet<>();
    for (EventRef ref : leases) {
      if (update(conn, ref.eventId(), row -> isHeld(row, ref), row -> row.lockedAt = lockedAt)
          > 0) {
        renewed.add(ref.eventId());
      }
    }
    leave("renewLeases", leases);
    return renewed;
  }

  private static boolean isHeld(FakeRow row, EventRef ref) {
    return row.status.isPending()
        && row.lockedBy != null
        && ref.matches(row.leaseNo, row.lockedBy)
        && ref.owner() != null;
  }

  @Override
  public Set<String> releaseLeases(Connection conn, Collection<EventRef> leases) {
    enter("releaseLeases", conn, leases);
    Set<String> locked = new HashSet<>();
    for (EventRef ref : leases) {
      if (database.isLocked(conn, ref.eventId())) {
        locked.add(ref.eventId());
        continue;
      }
      update(
          conn,
          ref.eventId(),
          row -> isHeld(row, ref),
          row -> {
            row.lockedBy = null;
            row.lockedAt = null;
            row.claims--;
          });
    }
    return locked;
  }

  @Override
  public boolean recordStart(Connection conn, EventRef lease) {
    enter("recordStart", conn, lease);
    return update(conn, lease.eventId(), row -> isHeld(row, lease), row -> row.starts++) > 0;
  }

  @Override
  public boolean mayLoseRowsInTransaction() {
    return losesRows;
  }

  @Override
  public Set<String> findExisting(Connection conn, Collection<String> eventIds) {
    enter("findExisting", conn, eventIds);
    Set<String> found = new HashSet<>(eventIds);
    found.retainAll(database.committed().keySet());
    return found;
  }

  /** From now on it tells its backlog. */
  public void tells(Backlog value) {
    backlog = value;
  }

  @Override
  public Optional<Backlog> backlog(Connection conn, int cap) {
    enter("backlog", conn, cap);
    return Optional.ofNullable(backlog);
  }

  @Override
  public long countUnknownStatus(Connection conn) {
    enter("countUnknownStatus", conn, null);
    return 0;
  }
}
