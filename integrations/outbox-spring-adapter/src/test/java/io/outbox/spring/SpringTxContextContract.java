package io.outbox.spring;

import io.outbox.spi.TxContext;
import io.outbox.testdb.TestDatabase;
import io.outbox.testing.contract.TxContextContract;
import java.sql.Connection;
import javax.sql.DataSource;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.TransactionStatus;

/** The contract in transactions of Spring's {@link DataSourceTransactionManager}. */
abstract class SpringTxContextContract extends TxContextContract {

  @AutoClose private static final Databases DATABASES = new Databases();

  private final TestDatabase kind;
  private final boolean listening;
  private DataSource dataSource;
  private DataSourceTransactionManager manager;
  private SpringTxContext txContext;
  private TransactionStatus transaction;

  SpringTxContextContract(TestDatabase kind, boolean listening) {
    this.kind = kind;
    this.listening = listening;
  }

  @BeforeEach
  void open() {
    dataSource = DATABASES.pool(kind);
    manager = new DataSourceTransactionManager(dataSource);
    txContext = new SpringTxContext(dataSource);
    if (listening) {
      manager.addListener(txContext);
    }
  }

  @Override
  protected TxContext txContext() {
    return txContext;
  }

  @Override
  protected void begin() {
    transaction = manager.getTransaction(null);
  }

  @Override
  protected void commit() {
    manager.commit(transaction);
  }

  @Override
  protected void rollback() {
    manager.rollback(transaction);
  }

  @Override
  protected Object createSavepoint() {
    return transaction.createSavepoint();
  }

  @Override
  protected void rollbackTo(Object savepoint) {
    transaction.rollbackToSavepoint(savepoint);
  }

  @Override
  protected Connection businessConnection() {
    return DataSourceUtils.getConnection(dataSource);
  }
}
