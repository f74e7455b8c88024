package io.outbox.spi;

import io.outbox.EventEnvelope;
import io.outbox.model.EventRef;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.lanes.LaneStore;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Stores the events. Every method uses the given connection and its transaction, and closes
 * neither. Times come as parameters: the engine passes the database's own time. Implementations are
 * safe for use by many threads and throw unchecked exceptions.
 *
 * <p>The methods without a default body are enough for your own store. The others let the engine do
 * more in fewer statements, and give the guarantees that need a lease number: a store that has them
 * says so by {@link #supportsLeases()}.
 */
public interface OutboxStore {

  /**
   * Inserts one event as NEW. Without a delay it is due at the lesser of {@code occurredAt} and the
   * database's time: a writer's clock that is ahead must not make it wait.
   */
  void insertNew(Connection conn, EventEnvelope event);

  /** Makes a pending event DONE; returns how many rows changed. */
  int markDone(Connection conn, String eventId);

  /** Makes a pending event RETRY and counts an attempt; returns how many rows changed. */
  int markRetry(Connection conn, String eventId, Instant nextAt, String error);

  /** Makes a pending event DEAD; returns how many rows changed. */
  int markDead(Connection conn, String eventId, String error);

  /**
   * Makes a pending event NEW again, without counting an attempt; returns how many rows changed.
   */
  default int markDeferred(Connection conn, String eventId, Instant nextAt) {
    return markRetry(conn, eventId, nextAt, null);
  }

  /**
   * Reads events that are pending, due, and older than {@code skipRecent}, by {@code created_at}.
   */
  List<OutboxEvent> pollPending(Connection conn, Instant now, Duration skipRecent, int limit);

  /**
   * Like {@link #pollPending}, and leases the events to {@code ownerId}. Events leased since {@code
   * lockExpiry} are left out, even events of this owner. Atomic, on an auto-commit connection too.
   */
  default List<OutboxEvent> claimPending(
      Connection conn,
      String ownerId,
      Instant now,
      Instant lockExpiry,
      Duration skipRecent,
      int limit) {
    return pollPending(conn, now, skipRecent, limit);
  }

  /** DEAD events, oldest first. A null filter matches all. */
  default List<OutboxEvent> queryDead(
      Connection conn, String eventType, String aggregateType, int limit) {
    throw new UnsupportedOperationException(getClass().getName() + " cannot list dead events");
  }

  /** Replays a DEAD event; returns how many rows changed. */
  default int replayDead(Connection conn, String eventId) {
    throw new UnsupportedOperationException(getClass().getName() + " cannot replay events");
  }

  /** Counts DEAD events. A null filter matches all. */
  default int countDead(Connection conn, String eventType) {
    throw new UnsupportedOperationException(getClass().getName() + " cannot count dead events");
  }

  /**
   * Whether the methods below are implemented with lease numbers: inserts with a lease, outcomes
   * that match their lease, renewal, release and starts.
   */
  default boolean supportsLeases() {
    return false;
  }

  /**
   * Whether {@link #recordOutcomes} deletes the row where an outcome {@linkplain
   * Outcome#deletesRow() asks for that}. If not, no outcome does: {@code deleteOnDone} is refused.
   */
  default boolean supportsDeletes() {
    return false;
  }

  /** Inserts events that were delivered already: they are DONE. */
  default void insertFinished(Connection conn, List<EventEnvelope> events, Instant doneAt) {
    insertAll(conn, events.stream().map(NewEvent::unleased).toList());
    List<OutcomeResult> results =
        recordOutcomes(
            conn,
            events.stream()
                .map(event -> Outcome.done(EventRef.unleased(event.eventId(), 0), 0, doneAt))
                .toList());
    if (results.stream().anyMatch(result -> result != OutcomeResult.WRITTEN)) {
      throw new IllegalStateException("events that were just inserted could not be finished");
    }
  }

  /** Inserts all events, in as few statements as possible. */
  default void insertAll(Connection conn, List<NewEvent> events) {
    events.forEach(event -> insertNew(conn, event.envelope()));
  }

  /** The database's time, if the store knows how to ask. */
  default Optional<Instant> currentTime(Connection conn) {
    return Optional.empty();
  }

  /** Called first in each transaction of the engine's own, for example to set its isolation. */
  default void prepareTransaction(Connection conn) {}

  /**
   * As {@link #prepareTransaction(Connection)}, for a transaction whose session the server should
   * end when it hears nothing of it for {@code maxIdle}: its node may have vanished, and other
   * nodes wait for the rows that it has locked.
   */
  default void prepareTransaction(Connection conn, Duration maxIdle) {
    prepareTransaction(conn);
  }

  /**
   * Whether the engine's reads that lock nothing need a transaction around them. Where they do not,
   * a node that vanishes leaves none open.
   */
  default boolean readsInTransaction() {
    return true;
  }

  /**
   * Called when a transaction that was prepared with a bound is committed or rolled back, before
   * its connection goes back to the pool. Undoes settings that would outlast the transaction.
   */
  default void transactionEnded(Connection conn) {}

  /**
   * Whether {@link #fetchPending} keeps to {@link PendingQuery#maxBytes()}: then larger batches
   * than configured may be asked for while there is a backlog.
   */
  default boolean limitsBytes() {
    return false;
  }

  /** Reads, and if asked claims, events to deliver; see {@link PendingQuery}. */
  default PendingBatch fetchPending(Connection conn, PendingQuery query) {
    List<OutboxEvent> events =
        query.claimAs() == null
            ? pollPending(conn, query.now(), query.skipRecent(), query.limit())
            : claimPending(
                conn,
                query.claimAs(),
                query.now(),
                query.lockExpiry(),
                query.skipRecent(),
                query.limit());
    return new PendingBatch(events, Optional.empty(), Optional.empty());
  }

  /**
   * Writes outcomes. Never waits for a locked row. Events of one call that are DONE may all be
   * given the latest of their instants.
   *
   * @return the result of each, in the same order
   */
  default List<OutcomeResult> recordOutcomes(Connection conn, List<Outcome> outcomes) {
    OutcomeResult[] results = new OutcomeResult[outcomes.size()];
    // By id: nodes that deliver the same events then lock them in the same order.
    int[] positions =
        IntStream.range(0, results.length)
            .boxed()
            .sorted(Comparator.comparing(i -> outcomes.get(i).eventId()))
            .mapToInt(Integer::intValue)
            .toArray();
    for (int i : positions) {
      Outcome outcome = outcomes.get(i);
      String id = outcome.eventId();
      int rows =
          switch (outcome.status()) {
            case DONE -> markDone(conn, id);
            case RETRY -> markRetry(conn, id, outcome.at(), outcome.error());
            case DEAD -> markDead(conn, id, outcome.error());
            case NEW -> markDeferred(conn, id, outcome.at());
          };
      results[i] = rows > 0 ? OutcomeResult.WRITTEN : OutcomeResult.LOST;
    }
    return Arrays.asList(results);
  }

  /**
   * Whether {@link #recordOutcomes} writes these with one statement. The engine then calls it
   * without a transaction around it: fewer calls to the database, and no session in a transaction
   * that a vanished node could leave behind.
   */
  default boolean recordsAtOnce(List<Outcome> outcomes) {
    return false;
  }

  /**
   * Moves {@code locked_at} of the leases that are still held.
   *
   * @return the ids of those
   */
  default Set<String> renewLeases(Connection conn, Collection<EventRef> leases, Instant lockedAt) {
    return Set.of();
  }

  /**
   * Gives up leases that are still held, and takes back the claims that were counted for them.
   * Never waits for a locked row.
   *
   * @return the ids of events whose rows were locked and are still held; ask again later
   */
  default Set<String> releaseLeases(Connection conn, Collection<EventRef> leases) {
    return Set.of();
  }

  /**
   * Counts a start of an event that is suspected of killing the process.
   *
   * @return whether the lease is still held
   */
  default boolean recordStart(Connection conn, EventRef lease) {
    return true;
  }

  /**
   * Whether rows that a transaction has inserted may be gone at its commit, although the
   * application did not roll it back: InnoDB answers a deadlock by rolling back the whole
   * transaction, and the application may go on. Then {@link #findExisting} is asked before an event
   * is delivered from memory.
   */
  default boolean mayLoseRowsInTransaction() {
    return false;
  }

  /** Which of these events are there. */
  default Set<String> findExisting(Connection conn, Collection<String> eventIds) {
    return Set.copyOf(eventIds);
  }

  /**
   * The contents of the table, counted up to {@code cap} rows of a kind; empty if the store cannot
   * tell.
   */
  default Optional<Backlog> backlog(Connection conn, int cap) {
    return Optional.empty();
  }

  /** How many rows have a status that means nothing; they are left alone. */
  default long countUnknownStatus(Connection conn) {
    return 0;
  }

  /** The part of the store for order by key; empty if it does not support that. */
  default Optional<LaneStore> lanes() {
    return Optional.empty();
  }

  /** Which nodes deliver from the table; empty if the store does not keep that. */
  default Optional<MemberStore> members() {
    return Optional.empty();
  }

  /** The part of the store for an operator; empty if it does not support that. */
  default Optional<OperatorStore> operator() {
    return Optional.empty();
  }

  /** The stored subscriptions; empty if the store does not keep any. */
  default Optional<SubscriptionStore> subscriptions() {
    return Optional.empty();
  }
}
