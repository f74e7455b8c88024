package io.outbox.spring.boot.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.outbox.Outbox;
import io.outbox.model.EventStatus;
import io.outbox.spi.JsonCodec;
import io.outbox.spring.boot.it.shop.AfterCommit;
import io.outbox.spring.boot.it.shop.OrderPlaced;
import io.outbox.spring.boot.it.shop.OrderRepository;
import io.outbox.spring.boot.it.shop.OrderService;
import io.outbox.spring.boot.it.shop.Shipping;
import io.outbox.spring.boot.it.shop.ShopApplication;
import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import io.outbox.testing.Await;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * A whole application with JPA on PostgreSQL: an order and its event are saved in one transaction.
 */
class JpaTest {

  private static Database database;
  private static ConfigurableApplicationContext app;

  private final OrderService service = app.getBean(OrderService.class);
  private final OrderRepository orders = app.getBean(OrderRepository.class);
  private final Shipping shipping = app.getBean(Shipping.class);
  private final AfterCommit afterCommit = app.getBean(AfterCommit.class);

  @BeforeAll
  static void start() {
    database = TestDatabase.POSTGRES.fresh();
    app = start(database);
  }

  static ConfigurableApplicationContext start(Database database) {
    return new SpringApplicationBuilder(ShopApplication.class)
        .web(WebApplicationType.NONE)
        .properties(
            "spring.datasource.url=" + database.jdbcUrl(),
            "spring.datasource.username=" + database.user(),
            "spring.datasource.password=" + database.password(),
            "spring.jpa.hibernate.ddl-auto=update",
            "outbox.schema.initialize=always")
        .run();
  }

  @AfterAll
  static void stop() {
    app.close();
    database.close();
  }

  @BeforeEach
  void clean() {
    app.getBean(JdbcTemplate.class).update("DELETE FROM outbox_event");
    orders.deleteAll();
    shipping.shipped.clear();
    shipping.audited.clear();
    afterCommit.refusals.clear();
  }

  @Test
  void R2_anOrderAndItsEventAreCommittedTogether() {
    service.place("A-17", 1999);

    Outboxes.awaitCounts(app, Map.of(EventStatus.DONE, 1));
    assertThat(shipping.shipped).containsExactly(new OrderPlaced("A-17", 1999));
    assertThat(orders.findById("A-17")).isPresent();
    assertThat(JsonCodec.getDefault()).isInstanceOf(Boot.JACKSON_CODEC);
  }

  @Test
  void R2_anOrderAndItsEventAreRolledBackTogether() {
    assertThatIllegalArgumentException().isThrownBy(() -> service.placeAndFail("A-18"));
    service.place("A-19", 1); // overtakes nothing

    Outboxes.awaitCounts(app, Map.of(EventStatus.DONE, 1));
    assertThat(shipping.shipped).extracting(OrderPlaced::orderId).containsExactly("A-19");
    assertThat(orders.findById("A-18")).isEmpty();
  }

  @Test
  void R3_manyThreadsHaveEachEventDeliveredOnce() throws Exception {
    List<String> ids = IntStream.range(0, 400).mapToObj(i -> "M-" + i).toList();
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      List<Future<?>> requests = new ArrayList<>();
      ids.forEach(id -> requests.add(threads.submit(() -> service.place(id, 1))));
      for (Future<?> request : requests) {
        request.get(60, TimeUnit.SECONDS);
      }
    } finally {
      threads.shutdownNow();
    }

    Outboxes.awaitCounts(app, Map.of(EventStatus.DONE, 400));
    assertThat(shipping.shipped)
        .extracting(OrderPlaced::orderId)
        .containsExactlyInAnyOrderElementsOf(ids);
  }

  @Test
  void R16_aWriteAfterTheCommitNeedsATransactionOfItsOwn() {
    service.placeAndTellAfterCommit("A-20", "wrongly");
    service.placeAndTellAfterCommit("A-21", "rightly");

    Outboxes.awaitCounts(app, Map.of(EventStatus.DONE, 3));
    assertThat(shipping.audited).containsExactly("\"in a new transaction\"");
    assertThat(afterCommit.refusals)
        .singleElement()
        .asString()
        .contains("PROPAGATION_REQUIRES_NEW");
  }

  @Test
  void R16_aWriteWithoutATransactionOrInAReadOnlyOneIsRefused() {
    assertThatIllegalStateException()
        .isThrownBy(() -> service.auditInNoTransactionOfItsOwn("nothing"))
        .withMessageContaining("no Spring transaction");
    assertThatIllegalStateException()
        .isThrownBy(() -> service.placeWhileReading("A-22"))
        .withMessageContaining("read-only");
    assertThat(Outboxes.counts(app)).isEmpty();
  }

  @Test
  void eventsLeftByAnEarlierRunAreDeliveredByTheNext() {
    try (Database another = TestDatabase.POSTGRES.fresh()) {
      try (ConfigurableApplicationContext first = start(another)) {
        first.getBean(Outbox.class).stop();
        first.getBean(OrderService.class).place("A-23", 1);
        assertThat(Outboxes.counts(first)).isEqualTo(Map.of(EventStatus.NEW, 1));
      }
      try (ConfigurableApplicationContext second = start(another)) {
        Shipping itsShipping = second.getBean(Shipping.class);
        Await.until("the delivery", Outboxes.SOON, () -> itsShipping.shipped.size() == 1);
        Outboxes.awaitCounts(second, Map.of(EventStatus.DONE, 1));
      }
    }
  }
}
