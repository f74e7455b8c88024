package io.outbox.jta.cdi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import com.arjuna.ats.jta.cdi.TransactionExtension;
import io.outbox.EventListener;
import io.outbox.jta.TestPool;
import io.outbox.testing.RecordingListener;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;
import jakarta.enterprise.inject.se.SeContainer;
import jakarta.enterprise.inject.se.SeContainerInitializer;
import jakarta.inject.Singleton;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A CDI container without an application server, with the transactions of Narayana. */
class CdiTest {

  private static final Duration SOON = Duration.ofSeconds(60);

  /** What an application server has, and what the application brings. */
  @ApplicationScoped
  static class Surroundings {
    private static DataSource pool;
    private static RecordingListener recording;

    @Produces
    @Singleton
    DataSource dataSource() {
      return pool;
    }

    @Produces
    @Singleton
    EventListener listener() {
      return recording;
    }
  }

  private final RecordingListener listener = new RecordingListener();
  private SeContainer container;
  private Orders orders;

  @BeforeEach
  void start() throws SQLException {
    Surroundings.pool = TestPool.h2();
    Surroundings.recording = listener;
    container =
        SeContainerInitializer.newInstance()
            .disableDiscovery()
            .addExtensions(new TransactionExtension())
            .addBeanClasses(Surroundings.class, OutboxProducer.class, Orders.class, Checkout.class)
            .initialize();
    orders = container.select(Orders.class).get();
  }

  @AfterEach
  void stop() {
    if (container.isRunning()) {
      container.close();
    }
  }

  private void assertDelivered(String... orderIds) throws SQLException {
    listener.awaitCount(orderIds.length, SOON);
    container.close(); // delivers what is queued
    List<String> expected =
        List.of(orderIds).stream().map(id -> "{\"orderId\": \"" + id + "\"}").toList();
    assertThat(listener.deliveries())
        .extracting(delivery -> delivery.event().payloadJson())
        .containsExactlyInAnyOrderElementsOf(expected);
    assertThat(TestPool.orders()).containsExactlyInAnyOrder(orderIds);
  }

  @Test
  void R2_aBeanWritesEventsInItsTransaction() throws Exception {
    orders.place("A-1");
    assertThatIllegalArgumentException().isThrownBy(() -> orders.placeAndFail("A-2"));
    orders.place("A-3");

    assertDelivered("A-1", "A-3");
  }

  @Test
  void R2_aNewTransactionInsideIsCommittedAlone() throws Exception {
    Checkout checkout = container.select(Checkout.class).get();
    assertThatIllegalArgumentException().isThrownBy(() -> checkout.fail("A-1", "A-2"));

    assertDelivered("A-2");
  }

  @Test
  void R16_aMethodWithoutATransactionIsRefused() throws Exception {
    assertThatIllegalStateException()
        .isThrownBy(() -> orders.placeWithoutTransaction("A-1"))
        .withMessageContainingAll("no JTA transaction", "@Transactional");

    assertDelivered();
  }
}
