package io.outbox.quarkus.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.quarkus.deployment.shop.Deliveries;
import io.outbox.quarkus.deployment.shop.OrdersResource;
import io.outbox.testing.Await;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.test.QuarkusUnitTest;
import io.quarkus.test.common.http.TestHTTPResource;
import jakarta.inject.Inject;
import jakarta.persistence.EntityManager;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Many requests over HTTP, on PostgreSQL. */
class ConcurrentRequestsTest {

  private static final int REQUESTS = 2_000;
  private static final int AT_ONCE = 100;
  private static final Duration SOON = Duration.ofSeconds(120);

  @Order(1)
  @RegisterExtension
  static final BeforeAllCallback EMPTIED = Postgres.emptied("requests");

  @Order(2)
  @RegisterExtension
  static final QuarkusUnitTest APPLICATION =
      Postgres.configure(
          "requests",
          TransactionsContract.shop(OrdersResource.class)
              .overrideConfigKey("quarkus.datasource.jdbc.max-size", "16")
              // the poller comes across the same rows
              .overrideConfigKey("quarkus.outbox.poller.interval-ms", "100"));

  @Inject Deliveries deliveries;
  @Inject EntityManager entities;

  @TestHTTPResource("/orders/")
  URI orders;

  @Test
  void R3_everyCommittedRequestIsDeliveredOnce() throws Exception {
    List<CompletableFuture<Integer>> answers = new ArrayList<>();
    HttpClient client = HttpClient.newHttpClient();
    Semaphore places = new Semaphore(AT_ONCE);
    for (int i = 1; i <= REQUESTS; i++) {
      assertThat(places.tryAcquire(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
      HttpRequest request =
          HttpRequest.newBuilder(orders.resolve("" + i)).POST(BodyPublishers.noBody()).build();
      answers.add(
          client
              .sendAsync(request, BodyHandlers.discarding())
              .whenComplete((answer, failure) -> places.release())
              .thenApply(answer -> answer.statusCode()));
    }
    for (int i = 1; i <= REQUESTS; i++) {
      assertThat(answers.get(i - 1).get(SOON.toSeconds(), TimeUnit.SECONDS))
          .as("request " + i)
          .isEqualTo(i % 10 == 0 ? 409 : 200);
    }

    List<String> committed =
        IntStream.rangeClosed(1, REQUESTS)
            .filter(i -> i % 10 != 0)
            .mapToObj(i -> "A-" + i)
            .toList();
    Await.until(
        () -> committed.size() + " deliveries, so far " + deliveries.orders().size(),
        SOON,
        () -> deliveries.orders().size() >= committed.size());
    Await.until("all of them recorded", SOON, () -> undelivered() == 0);
    assertThat(deliveries.orders()).containsExactlyInAnyOrderElementsOf(committed);
  }

  private long undelivered() {
    return QuarkusTransaction.requiringNew()
        .call(
            () ->
                ((Number)
                        entities
                            .createNativeQuery(
                                "SELECT count(*) FROM outbox_event WHERE status <> 1")
                            .getSingleResult())
                    .longValue());
  }
}
