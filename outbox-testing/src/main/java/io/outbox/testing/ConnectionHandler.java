package io.outbox.testing;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The methods of {@link Connection} that make sense without SQL. */
final class ConnectionHandler implements InvocationHandler {

  private final Session session;
  private final InMemoryDatabase database;
  private int isolation = Connection.TRANSACTION_READ_COMMITTED;

  private ConnectionHandler(Session session) {
    this.session = session;
    this.database = session.database();
  }

  static Connection connect(Session session) {
    return (Connection)
        Proxy.newProxyInstance(
            Connection.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            new ConnectionHandler(session));
  }

  @Override
  public Object invoke(Object proxy, Method method, Object[] args) throws Throwable {
    return switch (method.getName()) {
      case "equals" -> proxy == args[0];
      case "hashCode" -> System.identityHashCode(proxy);
      case "toString" -> "in-memory connection " + System.identityHashCode(proxy);
      case "unwrap" -> unwrap((Class<?>) args[0]);
      case "isWrapperFor" -> ((Class<?>) args[0]).isInstance(session);
      case "isClosed" -> session.closed;
      case "isValid" -> !session.closed;
      case "close", "abort" -> close();
      default -> invokeOpen(method, args);
    };
  }

  private Object unwrap(Class<?> type) throws SQLException {
    if (type.isInstance(session)) {
      return session;
    }
    throw new SQLException("not a wrapper of " + type.getName());
  }

  private Object invokeOpen(Method method, Object[] args) throws SQLException {
    session.requireOpen();
    return switch (method.getName()) {
      case "getAutoCommit" -> session.autoCommit;
      case "setAutoCommit" -> setAutoCommit((boolean) args[0]);
      case "isReadOnly" -> session.readOnly;
      case "setReadOnly" -> setReadOnly((boolean) args[0]);
      case "getTransactionIsolation" -> isolation;
      case "setTransactionIsolation" -> isolation = (int) args[0];
      case "commit" -> end(StoreOperation.COMMIT);
      case "rollback" -> args == null ? end(StoreOperation.ROLLBACK) : rollbackTo(args[0]);
      case "setSavepoint" -> savepoint(args == null ? null : (String) args[0]);
      case "releaseSavepoint", "clearWarnings" -> null;
      case "getWarnings", "getSchema", "getCatalog" -> null;
      default ->
          throw new UnsupportedOperationException(
              "an in-memory connection has no SQL and no " + method.getName() + "()");
    };
  }

  private Object close() throws SQLException {
    synchronized (database) {
      if (!session.closed) {
        session.rollback();
        session.closed = true;
        database.closed();
      }
    }
    return null;
  }

  private Object setAutoCommit(boolean value) throws SQLException {
    if (value && !session.autoCommit && session.hasChanges()) {
      end(StoreOperation.COMMIT);
    }
    synchronized (database) {
      session.rollback();
      session.autoCommit = value;
    }
    return null;
  }

  private Object setReadOnly(boolean value) {
    session.readOnly = value;
    return null;
  }

  private Object end(StoreOperation operation) throws SQLException {
    requireTransaction(operation.name());
    StoreCall call = new StoreCall(operation, List.of());
    database.beforeConnectionCall(call);
    synchronized (database) {
      if (operation == StoreOperation.COMMIT) {
        session.commit();
      } else {
        session.rollback();
      }
    }
    database.afterConnectionCall(call);
    return null;
  }

  private Savepoint savepoint(String name) throws SQLException {
    requireTransaction("savepoint");
    synchronized (database) {
      return new Snapshot(name, session.snapshot());
    }
  }

  private Object rollbackTo(Object savepoint) throws SQLException {
    requireTransaction("rollback to a savepoint");
    if (!(savepoint instanceof Snapshot snapshot)) {
      throw new SQLException("not a savepoint of an in-memory connection");
    }
    synchronized (database) {
      session.restore(snapshot.changes);
    }
    return null;
  }

  private void requireTransaction(String what) throws SQLException {
    if (session.autoCommit) {
      throw new SQLException(what + " needs a transaction, but auto-commit is on", "25000");
    }
  }

  private record Snapshot(String name, Map<String, Optional<Row>> changes) implements Savepoint {
    @Override
    public int getSavepointId() {
      return System.identityHashCode(this);
    }

    @Override
    public String getSavepointName() {
      return name;
    }
  }
}
