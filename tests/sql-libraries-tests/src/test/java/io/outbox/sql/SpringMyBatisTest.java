package io.outbox.sql;

import io.outbox.OutboxWriter;
import io.outbox.testdb.Database;
import io.outbox.testing.RecordingListener;
import org.mybatis.spring.SqlSessionTemplate;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** MyBatis joins the transactions of Spring. */
class SpringMyBatisTest extends LibraryContract {

  @Override
  Library start(Database database) {
    return new SpringMyBatis(SpringLibrary.start(database));
  }

  private record SpringMyBatis(ConfigurableApplicationContext context) implements Library {

    /** In a transaction of Spring. */
    private record MyBatisOrders(OrderMapper mapper, TransactionTemplate transactions)
        implements Orders {

      @Override
      public void insert(String id) {
        mapper.insert(id);
      }

      @Override
      public void nested(Work work) {
        TransactionTemplate nested = new TransactionTemplate(transactions.getTransactionManager());
        nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
        execute(nested, work, this);
      }
    }

    private static void execute(TransactionTemplate transactions, Work work, Orders orders) {
      transactions.executeWithoutResult(
          status -> {
            try {
              work.run(orders);
            } catch (RuntimeException e) {
              throw e;
            } catch (Exception e) {
              throw new IllegalStateException(e);
            }
          });
    }

    private OrderMapper mapper() {
      return context.getBean(SqlSessionTemplate.class).getMapper(OrderMapper.class);
    }

    @Override
    public void inTransaction(Work work) {
      TransactionTemplate transactions = context.getBean(TransactionTemplate.class);
      execute(transactions, work, new MyBatisOrders(mapper(), transactions));
    }

    @Override
    public int countOrders() {
      return mapper().count();
    }

    @Override
    public OutboxWriter writer() {
      return context.getBean(OutboxWriter.class);
    }

    @Override
    public RecordingListener delivered() {
      return context.getBean(RecordingListener.class);
    }

    @Override
    public void close() {
      context.close();
    }
  }
}
