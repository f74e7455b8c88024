package io.outbox.jdbc.tx;

import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.store.Target;
import io.outbox.spi.TxContext;
import io.outbox.testing.contract.TxContextContract;

class ThreadLocalTxContextContractTest extends TxContextContract {

  private final ThreadLocalTxContext context = new ThreadLocalTxContext();
  private final JdbcTransactionManager manager =
      new JdbcTransactionManager(new DataSourceConnectionProvider(Target.H2.dataSource()), context);
  private JdbcTransactionManager.Transaction transaction;

  @Override
  protected TxContext txContext() {
    return context;
  }

  @Override
  protected void begin() {
    transaction = manager.begin();
  }

  @Override
  protected void commit() {
    transaction.commit();
  }

  @Override
  protected void rollback() {
    transaction.rollback();
  }

  @Override
  protected Object createSavepoint() {
    return transaction.savepoint();
  }

  @Override
  protected void rollbackTo(Object savepoint) {
    transaction.rollbackTo((JdbcTransactionManager.Savepoint) savepoint);
  }
}
