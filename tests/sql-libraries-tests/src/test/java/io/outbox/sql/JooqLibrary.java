package io.outbox.sql;

import io.outbox.OutboxWriter;
import io.outbox.testing.RecordingListener;
import org.jooq.DSLContext;

/** jOOQ, whoever made its {@link DSLContext}. */
record JooqLibrary(
    DSLContext dsl, OutboxWriter writer, RecordingListener delivered, Runnable closing)
    implements Library {

  /** In a transaction of jOOQ. */
  private record JooqOrders(DSLContext dsl) implements Orders {

    @Override
    public void insert(String id) {
      dsl.execute("INSERT INTO orders (id) VALUES (?)", id);
    }

    @Override
    public void nested(Work work) {
      dsl.transaction(tx -> work.run(new JooqOrders(tx.dsl())));
    }
  }

  @Override
  public void inTransaction(Work work) {
    dsl.transaction(tx -> work.run(new JooqOrders(tx.dsl())));
  }

  @Override
  public int countOrders() {
    return dsl.fetchCount(org.jooq.impl.DSL.table("orders"));
  }

  @Override
  public void close() {
    closing.run();
  }
}
