package io.outbox.spring;

import java.lang.reflect.Method;
import java.util.Map;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ObjectUtils;
import org.springframework.util.ReflectionUtils;

/** The connections that Spring has bound to the calling thread, seen from one DataSource. */
final class BoundConnections {

  private static final Method IS_TRANSACTION_ACTIVE = isTransactionActive();

  private final DataSource dataSource;
  private final DataSource target;

  BoundConnections(DataSource dataSource) {
    this.dataSource = dataSource;
    this.target = target(dataSource);
  }

  /** What a transaction of the DataSource is made of; null if there is no such transaction. */
  ConnectionHolder transactional() {
    ConnectionHolder holder = bound();
    return holder != null && isTransactional(holder) ? holder : null;
  }

  /** Whether another DataSource is in a transaction too. */
  boolean isAnotherTransactional(ConnectionHolder ours) {
    for (Object resource : TransactionSynchronizationManager.getResourceMap().values()) {
      if (resource != ours
          && resource instanceof ConnectionHolder other
          && isTransactional(other)) {
        return true;
      }
    }
    return false;
  }

  private ConnectionHolder bound() {
    for (DataSource key = dataSource; key != null; key = inner(key)) {
      if (TransactionSynchronizationManager.getResource(key) instanceof ConnectionHolder holder) {
        return holder;
      }
    }
    return boundToAProxy();
  }

  /** The transaction manager may have been given a proxy of our DataSource. */
  private ConnectionHolder boundToAProxy() {
    for (Map.Entry<Object, Object> resource :
        TransactionSynchronizationManager.getResourceMap().entrySet()) {
      if (resource.getKey() instanceof DataSource key
          && resource.getValue() instanceof ConnectionHolder holder
          && target(key) == target) {
        return holder;
      }
    }
    return null;
  }

  private static DataSource inner(DataSource dataSource) {
    return dataSource instanceof DelegatingDataSource proxy ? proxy.getTargetDataSource() : null;
  }

  private static DataSource target(DataSource dataSource) {
    DataSource innermost = dataSource;
    for (DataSource key = dataSource; key != null; key = inner(key)) {
      innermost = key;
    }
    return innermost;
  }

  /**
   * Inside a transaction of another DataSource, too, Spring binds a connection that was merely used
   * until the end of that transaction, and marks it as synchronized. Managers that begin a
   * transaction on the connection mark it as active, or, for JPA and Hibernate, do neither.
   */
  private static boolean isTransactional(ConnectionHolder holder) {
    return holder.getConnectionHandle() != null
        && (!holder.isSynchronizedWithTransaction()
            || Boolean.TRUE.equals(ReflectionUtils.invokeMethod(IS_TRANSACTION_ACTIVE, holder)));
  }

  private static Method isTransactionActive() {
    Method method = ReflectionUtils.findMethod(ConnectionHolder.class, "isTransactionActive");
    if (method == null) {
      throw new IllegalStateException(
          "this version of spring-jdbc is not supported: ConnectionHolder has no"
              + " isTransactionActive()");
    }
    ReflectionUtils.makeAccessible(method);
    return method;
  }

  @Override
  public String toString() {
    // What a DataSource says of itself may contain a password.
    return ObjectUtils.identityToString(dataSource);
  }
}
