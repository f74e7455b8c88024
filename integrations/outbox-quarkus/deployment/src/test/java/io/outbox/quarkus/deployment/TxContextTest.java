package io.outbox.quarkus.deployment;

import io.outbox.spi.TxContext;
import io.outbox.testing.contract.TxContextContract;
import io.quarkus.test.QuarkusUnitTest;
import jakarta.inject.Inject;
import jakarta.transaction.Status;
import jakarta.transaction.TransactionManager;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The contract of every TxContext, inside an application. */
class TxContextTest extends TxContextContract {

  @RegisterExtension
  static final QuarkusUnitTest APPLICATION =
      new QuarkusUnitTest()
          .withConfigurationResource("shop.properties")
          .withEmptyApplication()
          .overrideConfigKey(
              "quarkus.datasource.jdbc.url", "jdbc:h2:mem:contract;DB_CLOSE_DELAY=-1");

  @Inject TxContext txContext;
  @Inject TransactionManager manager;

  @Override
  protected TxContext txContext() {
    return txContext;
  }

  @Override
  protected void begin() throws Exception {
    manager.begin();
  }

  @Override
  protected void commit() throws Exception {
    manager.commit();
  }

  @Override
  protected void rollback() throws Exception {
    if (manager.getStatus() != Status.STATUS_NO_TRANSACTION) {
      manager.rollback();
    }
  }

  @Override
  protected boolean hasSavepoints() {
    return false;
  }

  @Override
  protected Object createSavepoint() {
    throw new UnsupportedOperationException();
  }

  @Override
  protected void rollbackTo(Object savepoint) {
    throw new UnsupportedOperationException();
  }
}
