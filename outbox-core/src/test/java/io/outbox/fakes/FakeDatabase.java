package io.outbox.fakes;

import io.outbox.spi.ConnectionProvider;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A table in memory with transactions: what a connection changes is locked for the others and
 * invisible to them until it commits. Every call on a connection can be made to fail or wait.
 */
public final class FakeDatabase implements ConnectionProvider {

  /** Called before or after something happens; may throw or wait. */
  @FunctionalInterface
  public interface Fault {
    void hit() throws SQLException;
  }

  private static final Fault NONE = () -> {};

  private final Map<String, FakeRow> committed = new LinkedHashMap<>();
  private final List<FakeConnection> open = new ArrayList<>();
  private final List<String> autoCommitsAtClose = new CopyOnWriteArrayList<>();
  private int commits;
  private int rollbacks;
  private int connections;

  /** How connections come out of the pool. */
  public volatile boolean autoCommit = true;

  public volatile Fault onConnect = NONE;
  public volatile Fault onCommit = NONE;
  public volatile Fault afterCommit = NONE;
  public volatile Fault onRollback = NONE;
  public volatile Fault onClose = NONE;
  public volatile Fault onSetAutoCommit = NONE;

  @Override
  public Connection getConnection() throws SQLException {
    onConnect.hit();
    FakeConnection connection = new FakeConnection();
    connection.autoCommit = autoCommit;
    synchronized (this) {
      connections++;
      open.add(connection);
    }
    return (Connection)
        Proxy.newProxyInstance(
            getClass().getClassLoader(), new Class<?>[] {Connection.class}, connection);
  }

  public synchronized int openConnections() {
    return open.size();
  }

  public synchronized int connections() {
    return connections;
  }

  public synchronized int commits() {
    return commits;
  }

  public synchronized int rollbacks() {
    return rollbacks;
  }

  /**
   * How each connection was given back: {@code auto}, {@code manual}, or {@code in transaction}.
   */
  public List<String> statesAtClose() {
    return autoCommitsAtClose;
  }

  // ---- for the store

  synchronized Map<String, FakeRow> committed() {
    Map<String, FakeRow> copy = new LinkedHashMap<>();
    committed.forEach((id, row) -> copy.put(id, row.copy()));
    return copy;
  }

  /** Whether another connection has changed the row and not ended. */
  synchronized boolean isLocked(Connection conn, String id) {
    FakeConnection own = of(conn);
    return open.stream().anyMatch(other -> other != own && other.changes.containsKey(id));
  }

  /** The row as this connection sees it; null if there is none. */
  synchronized FakeRow get(Connection conn, String id) {
    Map<String, FakeRow> changes = of(conn).changes;
    FakeRow row = changes.containsKey(id) ? changes.get(id) : committed.get(id);
    return row == null ? null : row.copy();
  }

  synchronized void put(Connection conn, FakeRow row) {
    FakeConnection own = of(conn);
    if (own.autoCommit) {
      committed.put(row.id, row.copy());
    } else {
      own.changes.put(row.id, row.copy());
    }
  }

  synchronized void delete(Connection conn, String id) {
    FakeConnection own = of(conn);
    if (own.autoCommit) {
      committed.remove(id);
    } else {
      own.changes.put(id, null);
    }
  }

  /** Puts a row there as if it had always been. */
  public synchronized void seed(FakeRow row) {
    committed.put(row.id, row.copy());
  }

  public synchronized void delete(String id) {
    committed.remove(id);
  }

  private FakeConnection of(Connection conn) {
    return (FakeConnection) Proxy.getInvocationHandler(conn);
  }

  private final class FakeConnection implements InvocationHandler {
    private final Map<String, FakeRow> changes = new LinkedHashMap<>(); // null: deleted
    private boolean autoCommit;
    private boolean readOnly;
    private boolean used;
    private boolean closed;

    @Override
    public Object invoke(Object proxy, Method method, Object[] args) throws Throwable {
      switch (method.getName()) {
        case "getAutoCommit":
          if (closed) {
            throw new SQLException("Connection is closed", "08003");
          }
          return autoCommit;
        case "setAutoCommit":
          onSetAutoCommit.hit();
          setAutoCommit((boolean) args[0]);
          return null;
        case "isReadOnly":
          return readOnly;
        case "setReadOnly":
          readOnly = (boolean) args[0];
          return null;
        case "commit":
          requireTransaction();
          onCommit.hit();
          apply();
          afterCommit.hit();
          return null;
        case "rollback":
          onRollback.hit();
          requireTransaction();
          undo();
          return null;
        case "isClosed":
          return closed;
        case "close":
          close();
          return null;
        case "hashCode":
          return System.identityHashCode(proxy);
        case "equals":
          return proxy == args[0];
        case "toString":
          return "FakeConnection";
        default:
          throw new UnsupportedOperationException(method.getName());
      }
    }

    private void setAutoCommit(boolean value) {
      if (value && used) {
        apply(); // as JDBC says
      }
      autoCommit = value;
    }

    private void requireTransaction() throws SQLException {
      if (autoCommit) {
        throw new SQLException("the connection is in auto-commit mode");
      }
    }

    private void apply() {
      synchronized (FakeDatabase.this) {
        commits++;
        committed.putAll(changes);
        committed.values().removeIf(Objects::isNull);
        changes.clear();
        used = false;
      }
    }

    private void undo() {
      synchronized (FakeDatabase.this) {
        rollbacks++;
        changes.clear();
        used = false;
      }
    }

    private void close() throws SQLException {
      synchronized (FakeDatabase.this) {
        if (!closed) {
          closed = true;
          open.remove(this);
          autoCommitsAtClose.add(used ? "in transaction" : autoCommit ? "auto" : "manual");
          changes.clear();
        }
      }
      onClose.hit();
    }
  }

  /** Notes that a statement ran. */
  synchronized void touch(Connection conn) {
    FakeConnection own = of(conn);
    own.used = !own.autoCommit;
  }
}
