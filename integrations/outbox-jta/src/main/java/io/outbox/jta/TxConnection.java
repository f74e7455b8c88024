package io.outbox.jta;

import io.outbox.util.PrintableLogger;
import jakarta.transaction.Status;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;

/**
 * The connection of one transaction. Each call gets a handle of the pool's enlisted connection and
 * closes it, or leaves it to the statement that the call made: pools complain about handles that
 * are open at the commit.
 */
final class TxConnection implements InvocationHandler {

  private static final Logger LOG = PrintableLogger.of(TxConnection.class);

  private final TransactionSynchronizationRegistry registry;
  private final DataSource dataSource;
  private final Object transaction;
  private final Set<Connection> handles =
      Collections.synchronizedSet(Collections.newSetFromMap(new IdentityHashMap<>()));
  private volatile boolean ended;
  private final Connection proxy = proxy(Connection.class, this);

  TxConnection(TransactionSynchronizationRegistry registry, DataSource dataSource) {
    this.registry = registry;
    this.dataSource = dataSource;
    this.transaction = registry.getTransactionKey();
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(
        Proxy.newProxyInstance(
            TxConnection.class.getClassLoader(), new Class<?>[] {type}, handler));
  }

  /** The connection, if the DataSource has enlisted it. */
  Connection enlisted() {
    try {
      if (proxy.getAutoCommit()) {
        throw new IllegalStateException(
            "the DataSource does not take part in JTA transactions, its connection is in"
                + " auto-commit mode: use one that enlists its connections ("
                + dataSource
                + ")");
      }
      return proxy;
    } catch (SQLException e) {
      throw new IllegalStateException(
          "the DataSource has no connection for the JTA transaction: " + e.getMessage(), e);
    }
  }

  @Override
  public Object invoke(Object self, Method method, Object[] arguments) throws Throwable {
    return switch (method.getName()) {
      case "equals" -> self == arguments[0];
      case "hashCode" -> System.identityHashCode(self);
      case "toString" -> "TxConnection[" + transaction + ", " + dataSource + "]";
      case "isClosed" -> !isCurrent();
      case "close", "releaseSavepoint" -> null;
      case "setSavepoint" -> new NoSavepoint();
      case "rollback" -> arguments == null ? onHandle(method, null) : rollBackAll();
      default -> onHandle(method, arguments);
    };
  }

  /** A branch cannot be rolled back in part. */
  private Object rollBackAll() throws SQLException {
    requireCurrent();
    registry.setRollbackOnly();
    return null;
  }

  private Object onHandle(Method method, Object[] arguments) throws Throwable {
    Connection handle = open();
    Object result;
    try {
      result = call(handle, method, arguments);
    } catch (Throwable e) {
      closeAfter(e, handle);
      throw e;
    }
    if (result instanceof Statement statement) {
      return proxy(method.getReturnType(), new OpenStatement(statement, handle));
    }
    close(handle);
    return result;
  }

  /** A handle that is opened after a timeout is in no transaction. */
  private Connection open() throws SQLException {
    requireCurrent();
    Connection handle = dataSource.getConnection();
    if (!isCurrent()) {
      handle.close();
      requireCurrent();
    }
    handles.add(handle);
    if (ended) {
      end(); // which may have been too early for this one
    }
    return handle;
  }

  /** While a timeout ends the transaction, the pool takes the handle back itself. */
  private void close(Connection handle) throws SQLException {
    if (isCurrent() && handles.remove(handle)) {
      handle.close();
    }
  }

  private void closeAfter(Throwable failure, Connection handle) {
    try {
      close(handle);
    } catch (SQLException e) {
      failure.addSuppressed(e);
    }
  }

  /** Closes what is open. Called by the thread that ended the transaction, as pools are. */
  void end() {
    ended = true;
    for (Connection handle : List.copyOf(handles)) {
      if (handles.remove(handle)) {
        try {
          handle.close();
        } catch (SQLException | RuntimeException e) {
          LOG.log(Level.DEBUG, "a handle could not be closed at the end of its transaction", e);
        }
      }
    }
  }

  private static Object call(Object target, Method method, Object[] arguments) throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getTargetException();
    }
  }

  /** A handle would belong to whatever transaction the thread is in, or to none. */
  private void requireCurrent() throws SQLException {
    if (!isCurrent()) {
      throw new SQLException(
          "this connection belongs to a JTA transaction that has ended, or is not the calling"
              + " thread's");
    }
  }

  private boolean isCurrent() {
    int status = registry.getTransactionStatus();
    return (status == Status.STATUS_ACTIVE || status == Status.STATUS_MARKED_ROLLBACK)
        && transaction.equals(registry.getTransactionKey());
  }

  /** Closes its handle when it is closed. */
  private final class OpenStatement implements InvocationHandler {
    private final Statement statement;
    private final Connection handle;

    private OpenStatement(Statement statement, Connection handle) {
      this.statement = statement;
      this.handle = handle;
    }

    @Override
    public Object invoke(Object self, Method method, Object[] arguments) throws Throwable {
      if (method.getName().equals("close")) {
        try {
          statement.close();
        } catch (SQLException e) {
          closeAfter(e, handle);
          throw e;
        }
        TxConnection.this.close(handle);
        return null;
      }
      if (method.getName().startsWith("execute")) {
        requireCurrent();
      }
      return call(statement, method, arguments);
    }
  }

  /** Stands for a savepoint where there can be none. */
  private static final class NoSavepoint implements Savepoint {
    @Override
    public int getSavepointId() {
      return 0;
    }

    @Override
    public String getSavepointName() {
      return "";
    }
  }
}
