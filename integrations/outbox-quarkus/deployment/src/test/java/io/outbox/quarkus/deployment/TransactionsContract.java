package io.outbox.quarkus.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.agroal.api.AgroalDataSource;
import io.outbox.OutboxWriter;
import io.outbox.quarkus.deployment.shop.CustomerOrder;
import io.outbox.quarkus.deployment.shop.Deliveries;
import io.outbox.quarkus.deployment.shop.OrderPlaced;
import io.outbox.quarkus.deployment.shop.Orders;
import io.outbox.testing.Await;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.test.QuarkusUnitTest;
import jakarta.inject.Inject;
import jakarta.persistence.EntityManager;
import jakarta.transaction.RollbackException;
import jakarta.transaction.Status;
import jakarta.transaction.Transaction;
import jakarta.transaction.TransactionManager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is delivered, and what is refused, in transactions of an application with Hibernate ORM. */
abstract class TransactionsContract {

  private static final Duration SOON = Duration.ofSeconds(60);

  @Inject Orders orders;
  @Inject OutboxWriter outbox;
  @Inject Deliveries deliveries;
  @Inject EntityManager entities;
  @Inject TransactionManager manager;
  @Inject AgroalDataSource dataSource;

  static QuarkusUnitTest shop(Class<?>... more) {
    return new QuarkusUnitTest()
        .withConfigurationResource("shop.properties")
        .withApplicationRoot(
            jar ->
                jar.addClasses(
                        TransactionsContract.class,
                        CustomerOrder.class,
                        Deliveries.class,
                        OrderPlaced.class,
                        Orders.class,
                        Postgres.class)
                    .addClasses(more));
  }

  @BeforeEach
  void empty() {
    QuarkusTransaction.requiringNew()
        .run(
            () -> {
              entities.createQuery("delete from CustomerOrder").executeUpdate();
              entities.createNativeQuery("DELETE FROM outbox_event").executeUpdate();
            });
    deliveries.clear();
  }

  @AfterEach
  void leaveNoTransaction() throws Exception {
    manager.setTransactionTimeout(0);
    if (manager.getStatus() != Status.STATUS_NO_TRANSACTION) {
      manager.rollback();
    }
    Await.until(
        () -> "all connections back in the pool",
        SOON,
        () -> dataSource.getMetrics().activeCount() == 0);
  }

  /** Exactly these orders are in the tables, and were delivered. */
  private void assertPlaced(String... expected) {
    orders.place("last");
    deliveries.await("last");
    deliveries.await(expected);
    List<String> all = new ArrayList<>(List.of(expected));
    all.add("last");
    assertThat(deliveries.orders()).containsExactlyInAnyOrderElementsOf(all);
    assertThat(rows("SELECT id FROM CustomerOrder")).containsExactlyInAnyOrderElementsOf(all);
    assertThat(rows("SELECT event_id FROM outbox_event")).hasSize(all.size());
  }

  private List<String> rows(String sql) {
    return QuarkusTransaction.requiringNew().call(() -> texts(sql));
  }

  @SuppressWarnings("unchecked")
  private List<String> texts(String sql) {
    return entities.createNativeQuery(sql, String.class).getResultList();
  }

  private void assertRefused(String... words) {
    assertThatIllegalStateException()
        .isThrownBy(() -> outbox.write("OrderPlaced", "{}"))
        .withMessageContainingAll(words);
  }

  @Test
  void R2_aCommitDeliversAndARollbackDoesNot() {
    orders.place("A-1");
    assertThatThrownBy(
            () ->
                QuarkusTransaction.requiringNew()
                    .run(
                        () -> {
                          orders.place("A-2");
                          throw new IllegalStateException("fails on purpose");
                        }))
        .hasStackTraceContaining("on purpose");

    assertPlaced("A-1");
  }

  @Test
  void theEventIsInTheTransactionOfHibernate() throws Exception {
    manager.begin();
    orders.place("A-1");
    assertThat(texts("SELECT event_id FROM outbox_event")).hasSize(1);
    Transaction own = manager.suspend();
    assertThat(rows("SELECT event_id FROM outbox_event")).isEmpty();
    manager.resume(own);
    manager.rollback();

    assertPlaced();
  }

  @Test
  void R2_aNewTransactionInsideIsCommittedAndRolledBackAlone() throws Exception {
    manager.begin();
    orders.place("outer is rolled back");
    orders.placeAlone("inner is committed", false);
    deliveries.await("inner is committed");
    manager.rollback();

    manager.begin();
    orders.place("outer is committed");
    assertThatThrownBy(() -> orders.placeAlone("inner is rolled back", true))
        .hasStackTraceContaining("on purpose");
    manager.commit();

    assertPlaced("inner is committed", "outer is committed");
  }

  @Test
  void R16_aWriteWithoutATransactionIsRefused() throws Exception {
    assertRefused("no JTA transaction", "@Transactional");

    manager.begin();
    orders.place("A-1");
    assertThatIllegalStateException()
        .isThrownBy(() -> orders.placeWithoutTransaction("refused"))
        .withMessageContaining("Resume");
    manager.commit();

    assertPlaced("A-1");
  }

  @Test
  void aSuspendedTransactionWaitsForItsOwnEnd() throws Exception {
    manager.begin();
    orders.place("resumed");
    Transaction suspended = manager.suspend();
    assertRefused("Resume");
    orders.place("meanwhile");
    deliveries.await("meanwhile");
    manager.resume(suspended);
    manager.commit();

    assertPlaced("resumed", "meanwhile");
  }

  @Test
  void R2_aTransactionMarkedRollbackOnlyDeliversNothing() throws Exception {
    manager.begin();
    orders.place("before the mark");
    manager.setRollbackOnly();
    assertRefused("rollback-only");
    assertThatThrownBy(manager::commit).isInstanceOf(RollbackException.class);

    assertPlaced();
  }

  @Test
  void R2_aTransactionThatTimesOutDeliversNothing() throws Exception {
    manager.setTransactionTimeout(1);
    manager.begin();
    orders.place("too late");
    Await.until(
        "the timeout",
        SOON,
        () -> {
          try {
            return manager.getStatus() == Status.STATUS_ROLLEDBACK;
          } catch (Exception e) {
            throw new IllegalStateException(e);
          }
        });
    assertRefused("ended", "timeout");
    manager.rollback();
    manager.setTransactionTimeout(0);

    assertPlaced();
  }
}
