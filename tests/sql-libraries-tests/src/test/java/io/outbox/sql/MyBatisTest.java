package io.outbox.sql;

import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.jdbc.tx.JdbcTransactionManager;
import io.outbox.jdbc.tx.ThreadLocalTxContext;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.ConnectionProvider;
import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import io.outbox.testing.RecordingListener;
import java.time.Duration;
import java.util.Properties;
import javax.sql.DataSource;
import org.apache.ibatis.mapping.Environment;
import org.apache.ibatis.session.Configuration;
import org.apache.ibatis.session.SqlSession;
import org.apache.ibatis.session.SqlSessionFactory;
import org.apache.ibatis.session.SqlSessionFactoryBuilder;
import org.apache.ibatis.transaction.managed.ManagedTransactionFactory;
import org.junit.jupiter.api.Test;

/** MyBatis in transactions of the outbox, without a framework. */
class MyBatisTest extends LibraryContract {

  @Override
  Library start(Database database) {
    DataSource dataSource = database.pooled(10);
    OutboxSchema.create(dataSource);

    // snippet: mybatis-plain
    ManagedTransactionFactory outside = new ManagedTransactionFactory(); // never commits
    Properties keepOpen = new Properties();
    keepOpen.setProperty("closeConnection", "false");
    outside.setProperties(keepOpen);
    Configuration configuration = new Configuration(new Environment("shop", outside, dataSource));
    configuration.addMapper(OrderMapper.class);
    SqlSessionFactory sessions = new SqlSessionFactoryBuilder().build(configuration);
    // end

    ConnectionProvider connections = new DataSourceConnectionProvider(dataSource);
    ThreadLocalTxContext txContext = new ThreadLocalTxContext();
    RecordingListener delivered = new RecordingListener();
    Outbox outbox =
        Outbox.singleNode()
            .connectionProvider(connections)
            .txContext(txContext)
            .outboxStore(JdbcOutboxStores.detect(dataSource))
            .listenerRegistry(new DefaultListenerRegistry().registerDefault(delivered))
            .build();
    return new PlainMyBatis(
        sessions, new JdbcTransactionManager(connections, txContext), outbox, delivered);
  }

  private record PlainMyBatis(
      SqlSessionFactory sessions,
      JdbcTransactionManager transactions,
      Outbox outbox,
      RecordingListener delivered)
      implements Library {

    /** In a transaction of the outbox. */
    private record MyBatisOrders(SqlSession session, JdbcTransactionManager.Transaction tx)
        implements Orders {

      @Override
      public void insert(String id) {
        session.getMapper(OrderMapper.class).insert(id);
      }

      @Override
      public void nested(Work work) throws Exception {
        JdbcTransactionManager.Savepoint savepoint = tx.savepoint();
        try {
          work.run(this);
        } catch (Exception e) {
          tx.rollbackTo(savepoint);
          throw e;
        }
      }
    }

    @Override
    public void inTransaction(Work work) throws Exception {
      transactions.run(
          tx -> {
            try (SqlSession session = sessions.openSession(tx.connection())) {
              work.run(new MyBatisOrders(session, tx));
            }
          });
    }

    @Override
    public int countOrders() {
      return transactions.call(
          tx -> {
            try (SqlSession session = sessions.openSession(tx.connection())) {
              return session.getMapper(OrderMapper.class).count();
            }
          });
    }

    @Override
    public OutboxWriter writer() {
      return outbox.writer();
    }

    @Override
    public void close() {
      outbox.close();
    }
  }

  @Test
  void theCodeOfThePageWorks() throws Exception {
    try (Database database = TestDatabase.H2.fresh();
        Library library = start(database)) {
      try (var connection = database.dataSource().getConnection();
          var statement = connection.createStatement()) {
        statement.execute("CREATE TABLE orders (id VARCHAR(64) PRIMARY KEY)");
      }
      JdbcTransactionManager transactions = ((PlainMyBatis) library).transactions();
      SqlSessionFactory sessions = ((PlainMyBatis) library).sessions();
      OutboxWriter writer = library.writer();

      // snippet: mybatis-transaction
      transactions.run(
          tx -> {
            try (SqlSession session = sessions.openSession(tx.connection())) {
              session.getMapper(OrderMapper.class).insert("A-17");
              writer.write("OrderPlaced", "{\"orderId\": \"A-17\"}");
              session.commit(); // sends what MyBatis has batched; does not commit
            }
          });
      // end

      library.delivered().awaitCount(1, Duration.ofSeconds(60));
    }
  }
}
