package io.outbox.samples.sql;

import io.outbox.jdbc.tx.JdbcTransactionManager;
import io.outbox.jdbc.tx.ThreadLocalTxContext;
import io.outbox.spi.ConnectionProvider;
import java.util.Properties;
import javax.sql.DataSource;
import org.apache.ibatis.logging.LogFactory;
import org.apache.ibatis.mapping.Environment;
import org.apache.ibatis.session.Configuration;
import org.apache.ibatis.session.SqlSession;
import org.apache.ibatis.session.SqlSessionFactory;
import org.apache.ibatis.session.SqlSessionFactoryBuilder;
import org.apache.ibatis.transaction.managed.ManagedTransactionFactory;

/** The outbox's transaction manager begins and ends the transactions; MyBatis's sessions join. */
final class MyBatisOrders implements Orders {

  private final SqlSessionFactory sessions;
  private final JdbcTransactionManager transactions;
  private final Events events;

  MyBatisOrders(
      DataSource dataSource,
      ConnectionProvider connections,
      ThreadLocalTxContext txContext,
      Events events) {
    LogFactory.useNoLogging();
    ManagedTransactionFactory outside = new ManagedTransactionFactory(); // never commits
    Properties keepOpen = new Properties();
    keepOpen.setProperty("closeConnection", "false");
    outside.setProperties(keepOpen);
    Configuration configuration = new Configuration(new Environment("shop", outside, dataSource));
    configuration.addMapper(OrderMapper.class);
    this.sessions = new SqlSessionFactoryBuilder().build(configuration);
    this.transactions = new JdbcTransactionManager(connections, txContext);
    this.events = events;
  }

  @Override
  public void place(String id) {
    transactions.run(tx -> insert(tx, id));
  }

  @Override
  public void placeAndFail(String id) {
    transactions.run(
        tx -> {
          insert(tx, id);
          throw new Failure();
        });
  }

  @Override
  public void placeWithoutGift(String id, String gift) {
    transactions.run(
        tx -> {
          insert(tx, id);
          JdbcTransactionManager.Savepoint savepoint = tx.savepoint();
          insert(tx, gift);
          tx.rollbackTo(savepoint); // takes the event of the gift along
        });
  }

  private void insert(JdbcTransactionManager.Transaction tx, String id) {
    try (SqlSession session = sessions.openSession(tx.connection())) {
      session.getMapper(OrderMapper.class).insert(id);
      events.placed(id);
      session.commit(); // sends what MyBatis has batched; does not commit
    }
  }
}
