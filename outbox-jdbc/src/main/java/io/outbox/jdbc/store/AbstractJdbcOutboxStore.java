package io.outbox.jdbc.store;

import io.outbox.EventEnvelope;
import io.outbox.jdbc.InsertStatement;
import io.outbox.jdbc.internal.EngineTransactions;
import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.internal.StoreContext;
import io.outbox.jdbc.internal.TableName;
import io.outbox.jdbc.internal.dialect.SupportedPostgres;
import io.outbox.jdbc.internal.outcome.DeadEvents;
import io.outbox.jdbc.internal.outcome.LeaseWrites.Change;
import io.outbox.jdbc.internal.outcome.Outcomes;
import io.outbox.jdbc.internal.outcome.RowState;
import io.outbox.jdbc.internal.outcome.StatusUpdates;
import io.outbox.model.EventRef;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.Backlog;
import io.outbox.spi.MemberStore;
import io.outbox.spi.NewEvent;
import io.outbox.spi.OperatorStore;
import io.outbox.spi.OutboxStore;
import io.outbox.spi.Outcome;
import io.outbox.spi.OutcomeResult;
import io.outbox.spi.PendingBatch;
import io.outbox.spi.PendingQuery;
import io.outbox.spi.SubscriptionStore;
import io.outbox.spi.lanes.LaneStore;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Stores events in a table of a relational database; subclasses choose the database. Thread-safe.
 * Throws {@link io.outbox.jdbc.OutboxStoreException}.
 *
 * <p>A subclass may override {@code insertNew}, {@code pollPending}, {@code claimPending} and the
 * methods {@code mark…}: the engine then calls them, once per event, and keeps no leases, so that
 * in {@code multiNode()} another node may deliver a new event, too. Who wants batches and leases
 * overrides {@code insertAll}, {@code fetchPending} and {@code recordOutcomes} instead. An override
 * calls {@code super} of the same method.
 *
 * <p>Renewals, releases, starts and outcomes skip rows that another session has locked, and leave
 * them out of their result.
 */
public abstract class AbstractJdbcOutboxStore implements OutboxStore {

  /** The table used when none is named. */
  public static final String DEFAULT_TABLE = TableName.DEFAULT;

  private final Statements statements;
  private final Clock clock;
  private final StatusUpdates statusUpdates;
  private final Outcomes outcomes;
  private final DeadEvents deadEvents;
  private final EngineTransactions transactions;
  private final Overridden overridden = Overridden.by(getClass());
  private volatile boolean supported; // not a lookalike, nor too old

  /** {@code clock} tells the time to the methods that are not given any. */
  AbstractJdbcOutboxStore(Statements statements, Clock clock) {
    this.statements = statements;
    this.clock = Objects.requireNonNull(clock, "clock");
    this.statusUpdates = new StatusUpdates(statements.context());
    this.outcomes = new Outcomes(statements.leases());
    this.deadEvents = new DeadEvents(statements.context());
    this.transactions =
        new EngineTransactions(statements.context().product, statements.context().errors);
  }

  /** What all statements share. */
  final StoreContext context() {
    return statements.context();
  }

  /** Whether this store works on the database; asked by {@link JdbcOutboxStores#detect}. */
  protected boolean supports(DatabaseMetaData database) throws SQLException {
    return statements.context().product.isOf(database);
  }

  /** A store of the same kind for another table. */
  protected abstract AbstractJdbcOutboxStore withTable(String tableName);

  /** The table's name, with its schema if one was given. */
  public final String tableName() {
    return statements.context().table.toString();
  }

  @Override
  public void insertNew(Connection conn, EventEnvelope event) {
    statements.inserts().insert(conn, List.of(NewEvent.unleased(event)));
  }

  @Override
  public void insertAll(Connection conn, List<NewEvent> events) {
    if (overridden.inserts()) {
      OutboxStore.super.insertAll(conn, events);
    } else {
      statements.inserts().insert(conn, events);
    }
  }

  @Override
  public void insertFinished(Connection conn, List<EventEnvelope> events, Instant doneAt) {
    if (overridden.insertFinished()) {
      List<NewEvent> rows = events.stream().map(NewEvent::unleased).toList();
      statements.inserts().insert(conn, rows, doneAt);
    } else {
      OutboxStore.super.insertFinished(conn, events, doneAt);
    }
  }

  /**
   * The statements that insert {@code events}, in this order, for a driver other than JDBC's. They
   * belong into one transaction, the one that changes the data.
   */
  public final List<InsertStatement> insertStatements(List<NewEvent> events) {
    return statements.inserts().statements(Objects.requireNonNull(events, "events"));
  }

  @Override
  public int markDone(Connection conn, String eventId) {
    return statusUpdates.done(conn, eventId, clock.instant());
  }

  @Override
  public int markRetry(Connection conn, String eventId, Instant nextAt, String error) {
    return statusUpdates.retry(conn, eventId, nextAt, error);
  }

  @Override
  public int markDead(Connection conn, String eventId, String error) {
    return statusUpdates.dead(conn, eventId, clock.instant(), error);
  }

  @Override
  public int markDeferred(Connection conn, String eventId, Instant nextAt) {
    return statusUpdates.deferred(conn, eventId, nextAt);
  }

  @Override
  public List<OutboxEvent> pollPending(
      Connection conn, Instant now, Duration skipRecent, int limit) {
    return statements
        .pending()
        .poll(conn, new PendingQuery(now, skipRecent, limit, now, null, null));
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
    return statements
        .pending()
        .claim(conn, new PendingQuery(now, skipRecent, limit, lockExpiry, ownerId, null));
  }

  @Override
  public List<OutboxEvent> queryDead(
      Connection conn, String eventType, String aggregateType, int limit) {
    return deadEvents.query(conn, eventType, aggregateType, limit);
  }

  @Override
  public int replayDead(Connection conn, String eventId) {
    return deadEvents.replay(conn, eventId, clock.instant());
  }

  @Override
  public int countDead(Connection conn, String eventType) {
    return deadEvents.count(conn, eventType);
  }

  @Override
  public boolean supportsLeases() {
    return overridden.keepLeases();
  }

  @Override
  public boolean supportsDeletes() {
    return !overridden.marks();
  }

  @Override
  public Optional<Instant> currentTime(Connection conn) {
    requireSupported(conn);
    return Optional.of(statements.context().now(conn));
  }

  /** Every engine asks for the time first, also with a store that was not found by detection. */
  private void requireSupported(Connection conn) {
    if (!supported && statements.context().product == Product.POSTGRESQL) {
      try {
        SupportedPostgres.require(conn);
      } catch (SQLException e) {
        throw statements.context().errors.describe("ask which database it is", e);
      }
    }
    supported = true;
  }

  @Override
  public void prepareTransaction(Connection conn) {
    try {
      statements.context().product.prepareTransaction(conn);
    } catch (SQLException e) {
      throw statements.context().errors.describe("prepare a transaction", e);
    }
  }

  @Override
  public void prepareTransaction(Connection conn, Duration maxIdle) {
    transactions.prepare(conn, maxIdle);
  }

  @Override
  public boolean limitsBytes() {
    return !overridden.polls();
  }

  @Override
  public boolean readsInTransaction() {
    return overridden.polls() || statements.context().product.readsInTransaction();
  }

  @Override
  public void transactionEnded(Connection conn) {
    transactions.ended(conn);
  }

  @Override
  public PendingBatch fetchPending(Connection conn, PendingQuery query) {
    return overridden.polls()
        ? OutboxStore.super.fetchPending(conn, query)
        : statements.pending().fetch(conn, query);
  }

  @Override
  public List<OutcomeResult> recordOutcomes(Connection conn, List<Outcome> toRecord) {
    return overridden.marks()
        ? OutboxStore.super.recordOutcomes(conn, toRecord)
        : outcomes.record(conn, toRecord);
  }

  @Override
  public boolean recordsAtOnce(List<Outcome> toRecord) {
    return !overridden.marks() && !overridden.outcomes() && outcomes.areOneStatement(toRecord);
  }

  @Override
  public Set<String> renewLeases(Connection conn, Collection<EventRef> leases, Instant lockedAt) {
    return change(conn, Change.RENEW, held(leases), statements.context().time(lockedAt));
  }

  @Override
  public Set<String> releaseLeases(Connection conn, Collection<EventRef> leases) {
    List<EventRef> held = held(leases);
    Set<String> released = change(conn, Change.RELEASE, held);
    return stillOpen(
        conn, held.stream().filter(lease -> !released.contains(lease.eventId())).toList());
  }

  /** What could have been changed, but was passed over. */
  private Set<String> stillOpen(Connection conn, List<EventRef> unchanged) {
    if (unchanged.isEmpty()) {
      return Set.of();
    }
    Set<String> ids = unchanged.stream().map(EventRef::eventId).collect(Collectors.toSet());
    return statements.leases().read(conn, ids).stream()
        .filter(row -> unchanged.stream().anyMatch(row::isHeldBy))
        .map(RowState::eventId)
        .collect(Collectors.toSet());
  }

  @Override
  public boolean recordStart(Connection conn, EventRef lease) {
    return !change(conn, Change.START, List.of(lease)).isEmpty();
  }

  private Set<String> change(
      Connection conn, Change change, List<EventRef> refs, Object... params) {
    return refs.isEmpty()
        ? Set.of()
        : statements.leases().change(conn, change, refs, Arrays.asList(params));
  }

  /** A reference without an owner refers to no lease that could be renewed or released. */
  private static List<EventRef> held(Collection<EventRef> leases) {
    return leases.stream().filter(lease -> lease.owner() != null).toList();
  }

  @Override
  public boolean mayLoseRowsInTransaction() {
    Product.Family family = statements.context().product.family();
    return family == Product.Family.MYSQL || family == Product.Family.OTHER;
  }

  @Override
  public Set<String> findExisting(Connection conn, Collection<String> eventIds) {
    return eventIds.isEmpty()
        ? Set.of()
        : statements.leases().read(conn, Set.copyOf(eventIds)).stream()
            .map(RowState::eventId)
            .collect(Collectors.toSet());
  }

  @Override
  public Optional<Backlog> backlog(Connection conn, int cap) {
    if (cap < 1) {
      throw new IllegalArgumentException("cap must be at least 1: " + cap);
    }
    return Optional.of(statements.counts().backlog(conn, cap));
  }

  @Override
  public long countUnknownStatus(Connection conn) {
    return deadEvents.countUnknown(conn);
  }

  @Override
  public Optional<LaneStore> lanes() {
    return statements.lanes();
  }

  @Override
  public Optional<MemberStore> members() {
    return statements.members();
  }

  @Override
  public Optional<OperatorStore> operator() {
    return statements.operator();
  }

  @Override
  public Optional<SubscriptionStore> subscriptions() {
    return statements.subscriptions();
  }

  @Override
  public String toString() {
    return getClass().getSimpleName() + "[" + tableName() + "]";
  }
}
