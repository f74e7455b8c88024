package io.outbox.sql;

import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.tx.ThreadLocalTxContext;
import io.outbox.jooq.JooqTransactions;
import io.outbox.spi.TxContext;
import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import io.outbox.testing.contract.TxContextContract;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.jooq.Configuration;
import org.jooq.TransactionContext;
import org.jooq.impl.DefaultConfiguration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** The contract in transactions that jOOQ begins and ends. */
class JooqTxContextContractTest extends TxContextContract {

  /** Not made with the class: it may run once more in the same JVM, after a failure. */
  @AutoClose private static Database database;

  private static DataSource pool;

  private final ThreadLocalTxContext txContext = new ThreadLocalTxContext();
  private Configuration configuration;
  private TransactionContext outermost;

  @BeforeAll
  static void create() {
    database = TestDatabase.POSTGRES.fresh();
    pool = database.pooled(2);
  }

  @BeforeEach
  void configure() {
    configuration =
        JooqTransactions.configure(
            new DefaultConfiguration(), new DataSourceConnectionProvider(pool), txContext);
  }

  @Override
  protected TxContext txContext() {
    return txContext;
  }

  @Override
  protected void begin() {
    outermost = beginOne();
  }

  /** One level, as {@code DSLContext.transaction} does; inside another one it is a savepoint. */
  private TransactionContext beginOne() {
    AtomicReference<Object> transaction = new AtomicReference<>();
    TransactionContext context =
        (TransactionContext)
            Proxy.newProxyInstance(
                TransactionContext.class.getClassLoader(),
                new Class<?>[] {TransactionContext.class},
                (proxy, method, arguments) -> {
                  if (arguments != null) {
                    transaction.set(arguments[0]);
                    return proxy;
                  }
                  return transaction.get();
                });
    configuration.transactionProvider().begin(context);
    return context;
  }

  @Override
  protected void commit() {
    configuration.transactionProvider().commit(outermost);
  }

  @Override
  protected void rollback() {
    configuration.transactionProvider().rollback(outermost);
  }

  @Override
  protected Object createSavepoint() {
    return beginOne();
  }

  @Override
  protected void rollbackTo(Object savepoint) {
    configuration.transactionProvider().rollback((TransactionContext) savepoint);
  }

  @Override
  protected Connection businessConnection() {
    return configuration.connectionProvider().acquire();
  }
}
