package io.outbox.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.OutboxWriter;
import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import io.outbox.testing.RecordingListener;
import java.time.Duration;
import org.jooq.DSLContext;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/** jOOQ's transactions are those of Spring. */
class SpringJooqTest extends LibraryContract {

  @Override
  Library start(Database database) {
    ConfigurableApplicationContext context = SpringLibrary.start(database);
    return new JooqLibrary(
        context.getBean(DSLContext.class),
        context.getBean(OutboxWriter.class),
        context.getBean(RecordingListener.class),
        context::close);
  }

  static class Orders {
    private final DSLContext dsl;
    private final OutboxWriter outbox;

    Orders(DSLContext dsl, OutboxWriter outbox) {
      this.dsl = dsl;
      this.outbox = outbox;
    }

    // snippet: jooq-spring
    @Transactional
    public void place(String orderId) {
      dsl.execute("INSERT INTO orders (id) VALUES (?)", orderId);
      outbox.write("OrderPlaced", "{\"orderId\": \"" + orderId + "\"}");
    }
    // end
  }

  @Test
  void theyJoinATransactionOfSpring() {
    try (Database database = TestDatabase.H2.fresh();
        ConfigurableApplicationContext context = SpringLibrary.start(database)) {
      DSLContext dsl = context.getBean(DSLContext.class);
      dsl.execute("CREATE TABLE orders (id VARCHAR(64) PRIMARY KEY)");
      Orders orders = new Orders(dsl, context.getBean(OutboxWriter.class));
      TransactionTemplate transactions = context.getBean(TransactionTemplate.class);

      transactions.executeWithoutResult(
          status -> {
            orders.place("A-1");
            status.setRollbackOnly();
          });
      transactions.executeWithoutResult(status -> orders.place("A-2"));

      RecordingListener delivered = context.getBean(RecordingListener.class);
      delivered.awaitCount(1, Duration.ofSeconds(60));
      assertThat(delivered.deliveries())
          .extracting(delivery -> delivery.event().payloadJson())
          .containsExactly("{\"orderId\": \"A-2\"}");
    }
  }
}
