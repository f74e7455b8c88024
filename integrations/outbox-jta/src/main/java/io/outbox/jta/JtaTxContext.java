package io.outbox.jta;

import io.outbox.spi.TxContext;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.sql.Connection;
import java.util.Objects;
import javax.sql.DataSource;

/**
 * The JTA transaction of the calling thread, with a connection of one {@link DataSource} that takes
 * part in it as an XA resource or as the last resource. Thread-safe.
 *
 * <p>Suspended transactions, transactions marked rollback-only and ended ones are refused, with a
 * message that names the case. If the end of a transaction is unknown, its {@code afterRollback}
 * callbacks run: the poller delivers its events if they were committed.
 *
 * <p>{@code afterRollback} callbacks run on a thread of the transaction manager if the transaction
 * times out.
 *
 * <p>XA forbids savepoints. On the connection of this context a savepoint has no effect, and a
 * rollback to it marks the transaction rollback-only. So {@code writeAll} still writes all of its
 * events or none.
 */
public final class JtaTxContext implements TxContext {

  private final TransactionSynchronizationRegistry registry;
  private final DataSource dataSource;

  /**
   * Joins the transactions of {@code registry}.
   *
   * @param registry a container has it in JNDI, at {@code
   *     java:comp/TransactionSynchronizationRegistry}
   * @param dataSource enlists its connections in the transaction of the calling thread
   */
  public JtaTxContext(TransactionSynchronizationRegistry registry, DataSource dataSource) {
    this.registry = Objects.requireNonNull(registry, "registry");
    this.dataSource = Objects.requireNonNull(dataSource, "dataSource");
  }

  @Override
  public boolean isTransactionActive() {
    return Refusal.of(registry.getTransactionStatus()) == null;
  }

  /**
   * The connection of this transaction; the same one until its end. It is not to be closed,
   * committed or rolled back.
   */
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

  private JtaScope current() {
    Refusal refusal = Refusal.of(registry.getTransactionStatus());
    if (refusal != null) {
      throw new IllegalStateException(refusal.message());
    }
    try {
      JtaScope scope = (JtaScope) registry.getResource(this);
      return scope == null ? open() : scope;
    } catch (RuntimeException e) {
      // its timeout came in between, and transaction managers differ in what they throw
      throw new IllegalStateException(Refusal.ENDED.message(), e);
    }
  }

  private JtaScope open() {
    JtaScope scope = new JtaScope(registry, dataSource);
    registry.registerInterposedSynchronization(scope);
    registry.putResource(this, scope);
    return scope;
  }

  @Override
  public String toString() {
    return "JtaTxContext[" + dataSource + "]";
  }
}
