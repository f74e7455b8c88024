package io.outbox.testing;

import io.outbox.spi.ConnectionProvider;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * A table of events in memory, with transactions (read committed), row locks and savepoints. Its
 * connections know no SQL: {@link InMemoryOutboxStore} and {@link InMemoryEventPurger} work on
 * them. Thread-safe.
 */
public final class InMemoryDatabase implements ConnectionProvider {

  final Map<String, Row> committed = new LinkedHashMap<>();
  final InMemorySubscriptions subscriptions = new InMemorySubscriptions();
  final Map<String, Session> locks = new HashMap<>();
  final LaneTable laneTable = new LaneTable();
  private final Clock clock;
  private final Faults faults = new Faults();
  private long lastSeq;
  private int openConnections;
  private boolean autoCommitByDefault = true;
  private Duration lockTimeout = Duration.ofSeconds(5);

  /** A database with the system's time. */
  public InMemoryDatabase() {
    this(Clock.systemUTC());
  }

  /** A database with the time of {@code clock}. */
  public InMemoryDatabase(Clock clock) {
    this.clock = Objects.requireNonNull(clock, "clock");
  }

  @Override
  public Connection getConnection() throws SQLException {
    StoreCall call = new StoreCall(StoreOperation.CONNECT, List.of());
    beforeConnectionCall(call);
    synchronized (this) {
      openConnections++;
      return ConnectionHandler.connect(new Session(this, autoCommitByDefault));
    }
  }

  /** Whether new connections have auto-commit on; default true. */
  public synchronized void setAutoCommitByDefault(boolean value) {
    autoCommitByDefault = value;
  }

  /** How long a change waits for a row that another transaction has locked; five seconds. */
  public synchronized void setLockTimeout(Duration value) {
    lockTimeout = Objects.requireNonNull(value, "lockTimeout");
  }

  /** How many connections were opened and not closed. */
  public synchronized int openConnections() {
    return openConnections;
  }

  /** To make it fail. */
  public Faults faults() {
    return faults;
  }

  /** The clock of the database. */
  public Clock clock() {
    return clock;
  }

  synchronized void closed() {
    openConnections--;
  }

  synchronized long nextSeq() {
    return ++lastSeq;
  }

  /** Does the work in the connection's transaction, or in a new one. */
  <T> T execute(
      Connection connection,
      StoreOperation operation,
      Collection<String> ids,
      Function<Session, T> work) {
    Session session = session(connection);
    StoreCall call = new StoreCall(operation, List.copyOf(ids));
    faults.before(call);
    T result;
    synchronized (this) {
      result = session.autoCommit ? inOwnTransaction(session, work) : atomically(session, work);
    }
    faults.after(call);
    return result;
  }

  private static <T> T inOwnTransaction(Session session, Function<Session, T> work) {
    try {
      T result = work.apply(session);
      session.commit();
      return result;
    } finally {
      session.rollback();
    }
  }

  /** A statement that fails has changed nothing. */
  private static <T> T atomically(Session session, Function<Session, T> work) {
    var before = session.snapshot();
    try {
      return work.apply(session);
    } catch (RuntimeException e) {
      session.restore(before);
      throw e;
    }
  }

  private Session session(Connection connection) {
    try {
      Session session = connection.unwrap(Session.class);
      session.requireOpen();
      if (session.database() != this) {
        throw new IllegalArgumentException("the connection is one of another InMemoryDatabase");
      }
      return session;
    } catch (SQLException e) {
      throw new IllegalArgumentException(
          "no open connection of an InMemoryDatabase: " + connection + ", " + e.getMessage(), e);
    }
  }

  void awaitUnlocked(Session session, String id) {
    long deadline = System.nanoTime() + lockTimeout.toNanos();
    while (session.isLockedByOther(id)) {
      long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
      if (left <= 0) {
        throw new IllegalStateException(
            "event " + id + " was locked by another transaction for " + lockTimeout);
      }
      try {
        wait(left);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted while waiting for event " + id, e);
      }
    }
  }

  void unlockAll(Session session) {
    locks.values().removeIf(holder -> holder == session);
    notifyAll();
  }

  void beforeConnectionCall(StoreCall call) throws SQLException {
    try {
      faults.before(call);
    } catch (InjectedFailureException e) {
      throw new SQLException(e.getMessage(), "08006", e);
    }
  }

  void afterConnectionCall(StoreCall call) throws SQLException {
    try {
      faults.after(call);
    } catch (InjectedFailureException e) {
      throw new SQLException(e.getMessage(), "08006", e);
    }
  }
}
