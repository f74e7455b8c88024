package io.outbox.spring;

import io.outbox.spi.TxContext;
import java.sql.Connection;
import java.util.Objects;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/**
 * The transaction that Spring has begun on the calling thread for one {@link DataSource}, by {@code
 * DataSourceTransactionManager}, {@code JpaTransactionManager} or another manager that exposes its
 * JDBC connection. Thread-safe.
 *
 * <p>Transactions of other DataSources, read-only transactions and callbacks that run after the
 * commit are refused, with a message that names the case. Two cases are visible only to a context
 * that listens to the transaction manager ({@code transactionManager.addListener(txContext)}): a
 * callback after the commit of a transaction without events, and a nested transaction of another
 * manager. Without the listener the context refuses both. The Spring Boot starter adds it.
 *
 * <p>With {@code flushBeforeWrite}, JPA sends its pending changes to the database before an event
 * is written. Use it where events are delivered in order by key: the row locks of these changes
 * make writers of the same key wait for each other.
 */
public final class SpringTxContext implements TxContext, TransactionExecutionListener {

  private static final boolean JPA =
      isPresent("jakarta.persistence.EntityManager")
          && isPresent("org.springframework.orm.jpa.EntityManagerHolder");

  private final BoundConnections connections;
  private final Runnable flush;

  /** The innermost transaction of each thread. */
  private final ThreadLocal<TxScope> innermost = new ThreadLocal<>();

  /** Joins the transactions of {@code dataSource}, or of a Spring proxy around it or inside it. */
  public SpringTxContext(DataSource dataSource) {
    this(dataSource, false);
  }

  /**
   * Joins the transactions of {@code dataSource}, or of a Spring proxy around it or inside it.
   *
   * @param flushBeforeWrite whether JPA flushes before an event is written; no effect without JPA,
   *     and in JPA callbacks, which may be part of a flush
   */
  public SpringTxContext(DataSource dataSource, boolean flushBeforeWrite) {
    this.connections = new BoundConnections(Objects.requireNonNull(dataSource, "dataSource"));
    this.flush = flushBeforeWrite && JPA ? new JpaFlush() : () -> {};
  }

  private static boolean isPresent(String className) {
    return ClassUtils.isPresent(className, SpringTxContext.class.getClassLoader());
  }

  @Override
  public boolean isTransactionActive() {
    return look().scope() != null;
  }

  @Override
  public Connection currentConnection() {
    return current().connection();
  }

  @Override
  public void afterCommit(Runnable callback) {
    Objects.requireNonNull(callback, "callback");
    current().afterCommit(callback);
  }

  @Override
  public void afterRollback(Runnable callback) {
    Objects.requireNonNull(callback, "callback");
    current().afterRollback(callback);
  }

  @Override
  public boolean beforeCommit(Runnable callback) {
    Objects.requireNonNull(callback, "callback");
    return current().beforeCommit(callback);
  }

  @Override
  public void beforeWrite() {
    flush.run();
  }

  /** Called by the transaction managers that this context was added to. */
  @Override
  public void afterBegin(TransactionExecution transaction, Throwable beginFailure) {
    if (beginFailure == null
        && transaction.isNewTransaction()
        && TransactionSynchronizationManager.isSynchronizationActive()) {
      ConnectionHolder holder = connections.transactional();
      if (holder != null && !isKnown(holder)) {
        open(holder);
      }
    }
  }

  private TxScope current() {
    Finding finding = look();
    if (finding.scope() == null) {
      throw new IllegalStateException(finding.refusal().message(connections));
    }
    return finding.scope();
  }

  /** Either is null. */
  private record Finding(TxScope scope, Refusal refusal) {}

  private static Finding refused(Refusal refusal) {
    return new Finding(null, refusal);
  }

  private Finding look() {
    boolean active = TransactionSynchronizationManager.isActualTransactionActive();
    ConnectionHolder holder = connections.transactional();
    if (!active) {
      return refused(holder == null ? Refusal.NO_TRANSACTION : Refusal.NO_SYNCHRONIZATION);
    }
    if (!TransactionSynchronizationManager.isSynchronizationActive()) {
      return refused(Refusal.COMPLETED);
    }
    if (holder == null) {
      return refused(Refusal.OTHER_DATA_SOURCE);
    }
    TxScope scope = innermost.get();
    if (scope == null || !scope.isOf(holder)) {
      return isKnown(holder) ? refused(Refusal.INSIDE_ANOTHER_MANAGER) : firstLook(holder);
    }
    return writable(scope);
  }

  private static Finding writable(TxScope scope) {
    if (scope.isSuspended()) {
      return refused(Refusal.INSIDE_ANOTHER_MANAGER);
    }
    if (scope.hasCommitted()) {
      return refused(Refusal.COMPLETED);
    }
    return TransactionSynchronizationManager.isCurrentTransactionReadOnly()
        ? refused(Refusal.READ_ONLY)
        : new Finding(scope, null);
  }

  /** Nobody told us of the transaction when it began. */
  private Finding firstLook(ConnectionHolder holder) {
    if (connections.isAnotherTransactional(holder)) {
      return refused(Refusal.PERHAPS_INSIDE_ANOTHER_MANAGER);
    }
    if (AfterCommit.mayBeUnderWay(committedScopes())) {
      return refused(Refusal.PERHAPS_COMPLETED);
    }
    return writable(open(holder));
  }

  private boolean isKnown(ConnectionHolder holder) {
    for (TxScope scope = innermost.get(); scope != null; scope = scope.outer()) {
      if (scope.isOf(holder)) {
        return true;
      }
    }
    return false;
  }

  private int committedScopes() {
    int count = 0;
    for (TxScope scope = innermost.get(); scope != null; scope = scope.outer()) {
      count += scope.hasCommitted() ? 1 : 0;
    }
    return count;
  }

  private TxScope open(ConnectionHolder holder) {
    TxScope scope = new TxScope(holder, innermost.get(), this::ended);
    TransactionSynchronizationManager.registerSynchronization(scope);
    innermost.set(scope);
    return scope;
  }

  private void ended(TxScope scope) {
    if (scope.outer() == null) {
      innermost.remove();
    } else {
      innermost.set(scope.outer());
    }
  }

  @Override
  public String toString() {
    return "SpringTxContext[" + connections + "]";
  }
}
