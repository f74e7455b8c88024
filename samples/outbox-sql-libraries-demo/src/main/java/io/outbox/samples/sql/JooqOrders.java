package io.outbox.samples.sql;

import io.outbox.jdbc.tx.ThreadLocalTxContext;
import io.outbox.jooq.JooqTransactions;
import io.outbox.spi.ConnectionProvider;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.jooq.impl.DefaultConfiguration;

/** jOOQ begins and ends the transactions; the outbox joins them. */
final class JooqOrders implements Orders {

  private final DSLContext dsl;
  private final Events events;

  JooqOrders(ConnectionProvider connections, ThreadLocalTxContext txContext, Events events) {
    this.dsl =
        DSL.using(
            JooqTransactions.configure(
                new DefaultConfiguration().set(SQLDialect.H2), connections, txContext));
    this.events = events;
  }

  @Override
  public void place(String id) {
    dsl.transaction(tx -> insert(tx.dsl(), id));
  }

  @Override
  public void placeAndFail(String id) {
    dsl.transaction(
        tx -> {
          insert(tx.dsl(), id);
          throw new Failure();
        });
  }

  @Override
  public void placeWithoutGift(String id, String gift) {
    dsl.transaction(
        tx -> {
          insert(tx.dsl(), id);
          try {
            tx.dsl()
                .transaction( // a savepoint
                    inner -> {
                      insert(inner.dsl(), gift);
                      throw new Failure();
                    });
          } catch (Failure expected) {
            // there is no gift, and no event of it; the order stays
          }
        });
  }

  private void insert(DSLContext inTransaction, String id) {
    inTransaction.execute("INSERT INTO orders (id) VALUES (?)", id);
    events.placed(id);
  }
}
