package io.outbox.jooq;

import io.outbox.jdbc.tx.JdbcTransactionManager;
import io.outbox.jdbc.tx.ThreadLocalTxContext;
import io.outbox.spi.ConnectionProvider;
import java.util.Objects;
import org.jooq.Configuration;

/**
 * Lets an outbox take part in {@code DSLContext.transaction(…)}, without a framework. With Spring,
 * jOOQ and the outbox join Spring's transactions and need nothing of this.
 */
public final class JooqTransactions {

  private JooqTransactions() {}

  /**
   * A copy of {@code configuration} whose transactions are those of {@code txContext}. A
   * transaction inside another one is a savepoint of it, which takes its events along. Statements
   * outside a transaction use a new connection.
   *
   * <p>A transaction belongs to the thread that began it; statements that run on another thread are
   * not part of it.
   *
   * @param configuration its dialect, settings and listeners are kept
   * @param connections the one that the outbox was built with
   * @param txContext the one that the outbox was built with
   */
  public static Configuration configure(
      Configuration configuration, ConnectionProvider connections, ThreadLocalTxContext txContext) {
    Objects.requireNonNull(configuration, "configuration");
    Objects.requireNonNull(connections, "connections");
    Objects.requireNonNull(txContext, "txContext");
    JdbcTransactionManager transactions = new JdbcTransactionManager(connections, txContext);
    return configuration
        .derive(RollingBackListener.of(configuration))
        .derive(new JoiningConnections(connections, txContext))
        .derive(new OutboxTransactionProvider(transactions));
  }
}
