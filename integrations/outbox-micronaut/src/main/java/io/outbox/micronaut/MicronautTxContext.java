package io.outbox.micronaut;

import io.micronaut.transaction.TransactionOperations;
import io.micronaut.transaction.TransactionStatus;
import io.outbox.spi.TxContext;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * The JDBC transaction of the calling thread that Micronaut Data has begun for one DataSource, by
 * its annotation, by {@link TransactionOperations} or by {@code SynchronousTransactionManager}.
 * Thread-safe.
 *
 * <p>Transactions of other DataSources, read-only and suspended ones and callbacks that run after
 * the commit are refused, with a message that names the case. If the end of a transaction is
 * unknown, its {@code afterRollback} callbacks run: the poller delivers its events if they were
 * committed.
 */
public final class MicronautTxContext implements TxContext {

  private static final Logger LOG = PrintableLogger.of(MicronautTxContext.class);

  /** Micronaut's status of a method that runs without a transaction; it has no other mark. */
  private static final String NO_TRANSACTION = "NoTxTransactionStatus";

  private final TransactionOperations<Connection> transactions;

  /** Of transactions that have not ended. Guarded by itself. */
  private final Map<Connection, TxScope> scopes = new IdentityHashMap<>();

  /** Joins the transactions of {@code transactions}. */
  public MicronautTxContext(TransactionOperations<Connection> transactions) {
    this.transactions = Objects.requireNonNull(transactions, "transactions");
  }

  @Override
  public boolean isTransactionActive() {
    return refusal(status()) == null;
  }

  @Override
  public Connection currentConnection() {
    return connection(current());
  }

  @Override
  public void afterCommit(Runnable callback) {
    Objects.requireNonNull(callback, "callback");
    TransactionStatus<?> status = current();
    scope(status).afterCommit(status, callback);
  }

  @Override
  public void afterRollback(Runnable callback) {
    Objects.requireNonNull(callback, "callback");
    TransactionStatus<?> status = current();
    scope(status).afterRollback(status, callback);
  }

  @Override
  public boolean beforeCommit(Runnable callback) {
    Objects.requireNonNull(callback, "callback");
    return scope(current()).beforeCommit(callback);
  }

  /** Null if there is none. */
  private TransactionStatus<?> status() {
    return transactions.findTransactionStatus().orElse(null);
  }

  private TransactionStatus<?> current() {
    TransactionStatus<?> status = status();
    Refusal refusal = refusal(status);
    if (refusal != null) {
      throw new IllegalStateException(refusal.message());
    }
    return status;
  }

  /** Null if the transaction takes events. */
  private Refusal refusal(TransactionStatus<?> status) {
    if (status == null) {
      return Refusal.NO_TRANSACTION;
    }
    if (status.isCompleted()) {
      return Refusal.ENDED;
    }
    Connection connection = connection(status);
    TxScope scope = known(connection);
    if (scope != null && scope.hasEnded()) {
      return Refusal.ENDED;
    }
    if (status.getTransactionDefinition().isReadOnly().orElse(false)) {
      return Refusal.READ_ONLY;
    }
    return isWithoutTransaction(status) ? Refusal.SUSPENDED : broken(connection);
  }

  private static boolean isWithoutTransaction(TransactionStatus<?> status) {
    return status.getClass().getSimpleName().equals(NO_TRANSACTION);
  }

  /** Null if the connection is in a transaction. */
  private static Refusal broken(Connection connection) {
    try {
      return connection.getAutoCommit() ? Refusal.SUSPENDED : null;
    } catch (SQLException e) {
      LOG.log(Level.DEBUG, "the connection of a transaction cannot be used", e);
      return Refusal.BROKEN;
    }
  }

  private static Connection connection(TransactionStatus<?> status) {
    return (Connection) status.getConnection();
  }

  private TxScope known(Connection connection) {
    synchronized (scopes) {
      return scopes.get(connection);
    }
  }

  private TxScope scope(TransactionStatus<?> status) {
    Connection connection = connection(status);
    synchronized (scopes) {
      TxScope found = scopes.get(connection);
      if (found != null) {
        return found;
      }
      TxScope opened = new TxScope(this::status, () -> forget(connection));
      status.registerSynchronization(opened);
      status.registerSynchronization(opened.lastBeforeCommit());
      scopes.put(connection, opened);
      return opened;
    }
  }

  private void forget(Connection connection) {
    synchronized (scopes) {
      scopes.remove(connection);
    }
  }

  @Override
  public String toString() {
    return "MicronautTxContext[" + transactions.getClass().getName() + "]";
  }
}
