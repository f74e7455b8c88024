package io.outbox.spring.boot.it;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.spi.TxContext;
import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import io.outbox.testing.contract.TxContextContract;
import java.sql.Connection;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.transaction.NestedTransactionNotSupportedException;
import org.springframework.transaction.TransactionStatus;

/** Transactions of JPA keep the contract, as far as they go: they have no savepoints. */
class JpaTxContextContractTest extends TxContextContract {

  private static Database database;
  private static ConfigurableApplicationContext app;
  private static JpaTransactionManager manager;

  private TransactionStatus transaction;

  @BeforeAll
  static void start() {
    database = TestDatabase.POSTGRES.fresh();
    app = JpaTest.start(database);
    manager = app.getBean(JpaTransactionManager.class);
  }

  @AfterAll
  static void stop() {
    app.close();
    database.close();
  }

  @Override
  protected TxContext txContext() {
    return app.getBean(TxContext.class);
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
    throw new UnsupportedOperationException();
  }

  @Override
  protected void rollbackTo(Object savepoint) {
    throw new UnsupportedOperationException();
  }

  @Test
  @Override
  protected void R2_aRollbackToASavepointUndoesWhatCameAfterIt() {
    assertThereAreNoSavepoints();
  }

  @Test
  @Override
  protected void R2_aRollbackAfterARollbackToASavepointCallsEachOnce() {
    assertThereAreNoSavepoints();
  }

  @Test
  @Override
  protected void R2_anOuterSavepointUndoesTheInnerOnesToo() {
    assertThereAreNoSavepoints();
  }

  @Test
  @Override
  protected void callbacksBeforeTheCommitOutliveARollbackToASavepoint() {
    assertThereAreNoSavepoints();
  }

  private void assertThereAreNoSavepoints() {
    begin();
    assertThatThrownBy(() -> transaction.createSavepoint())
        .isInstanceOf(NestedTransactionNotSupportedException.class);
    rollback();
  }

  @Override
  protected Connection businessConnection() {
    return DataSourceUtils.getConnection(app.getBean(DataSource.class));
  }
}
