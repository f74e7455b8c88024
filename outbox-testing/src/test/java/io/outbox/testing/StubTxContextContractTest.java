package io.outbox.testing;

import io.outbox.spi.TxContext;
import io.outbox.testing.contract.TxContextContract;

class StubTxContextContractTest extends TxContextContract {

  private final StubTxContext tx = new StubTxContext(new InMemoryDatabase());

  @Override
  protected TxContext txContext() {
    return tx;
  }

  @Override
  protected void begin() {
    tx.begin();
  }

  @Override
  protected void commit() {
    tx.commit();
  }

  @Override
  protected void rollback() {
    tx.rollback();
  }

  @Override
  protected Object createSavepoint() {
    return tx.savepoint();
  }

  @Override
  protected void rollbackTo(Object savepoint) {
    tx.rollbackTo((StubTxContext.Savepoint) savepoint);
  }
}
