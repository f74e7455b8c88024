package io.outbox.r2dbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.Outbox;
import io.outbox.testdb.TestDatabase;
import io.outbox.testing.Await;
import io.outbox.testing.RecordingListener;
import io.r2dbc.spi.ConnectionFactory;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpStatus;
import org.springframework.http.server.reactive.ReactorHttpHandlerAdapter;
import org.springframework.r2dbc.connection.R2dbcTransactionManager;
import org.springframework.r2dbc.core.DatabaseClient;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.config.EnableWebFlux;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.server.adapter.WebHttpHandlerBuilder;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;

/** {@code @Transactional} in an application of WebFlux, over HTTP, on PostgreSQL. */
class WebFluxTest {

  private static final Duration SOON = Duration.ofMinutes(5);
  private static final int REQUESTS = 2_000;
  private static final int AT_ONCE = 100;

  private final ReactiveDatabase database = new ReactiveDatabase(TestDatabase.POSTGRES);
  private final RecordingListener delivered = new RecordingListener();
  private final Outbox outbox = database.configured(Outbox.singleNode(), delivered).build();
  private final AnnotationConfigApplicationContext shop = new AnnotationConfigApplicationContext();
  private DisposableServer server;
  private WebClient client;

  @Configuration
  @EnableWebFlux
  @EnableTransactionManagement(proxyTargetClass = true)
  static class Shop {

    @Bean
    ReactiveTransactionManager transactionManager(ConnectionFactory connections) {
      return new R2dbcTransactionManager(connections);
    }

    @Bean
    Orders orders(ConnectionFactory connections, ReactiveOutboxWriter writer) {
      return new Orders(DatabaseClient.create(connections), writer);
    }
  }

  @RestController
  static class Orders {

    private final DatabaseClient client;
    private final ReactiveOutboxWriter writer;

    Orders(DatabaseClient client, ReactiveOutboxWriter writer) {
      this.client = client;
      this.writer = writer;
    }

    /** Every tenth order fails after its event was written. */
    @Transactional
    @PostMapping("/orders/{number}")
    public Mono<String> place(@PathVariable("number") int number) {
      return client
          .sql("INSERT INTO orders (id) VALUES (:id)")
          .bind("id", "A-" + number)
          .fetch()
          .rowsUpdated()
          .then(writer.write("OrderPlaced", "{}"))
          .filter(eventId -> number % 10 != 0)
          .switchIfEmpty(Mono.error(() -> new IllegalArgumentException("fails on purpose")));
    }

    @ExceptionHandler
    @ResponseStatus(HttpStatus.CONFLICT)
    void refuse(IllegalArgumentException failure) {}
  }

  /** What a request was answered; the body is the id of the event. */
  record Answer(int number, int status, String body) {}

  @BeforeEach
  void start() {
    shop.registerBean(ConnectionFactory.class, () -> database.pool);
    shop.registerBean(
        ReactiveOutboxWriter.class,
        () -> new SpringR2dbcOutboxWriter(new R2dbcOutbox(outbox, database.store), database.pool));
    shop.register(Shop.class);
    shop.refresh();
    server =
        HttpServer.create()
            .host("127.0.0.1")
            .port(0)
            .handle(
                new ReactorHttpHandlerAdapter(
                    WebHttpHandlerBuilder.applicationContext(shop).build()))
            .bindNow(SOON);
    client = WebClient.create("http://127.0.0.1:" + server.port());
  }

  @AfterEach
  void stop() {
    server.disposeNow(SOON);
    shop.close();
    outbox.close();
    database.close();
  }

  private Mono<Answer> place(int number) {
    return client
        .post()
        .uri("/orders/" + number)
        .exchangeToMono(
            response ->
                response
                    .bodyToMono(String.class)
                    .defaultIfEmpty("")
                    .map(body -> new Answer(number, response.statusCode().value(), body)));
  }

  @Test
  void R3_everyCommittedRequestIsDeliveredOnceAndNoOtherIs() {
    List<Answer> answers =
        Flux.range(1, REQUESTS).flatMap(this::place, AT_ONCE).collectList().block(SOON);

    assertThat(answers)
        .hasSize(REQUESTS)
        .allMatch(answer -> answer.status() == (answer.number() % 10 == 0 ? 409 : 200));
    List<String> committed =
        answers.stream().filter(answer -> answer.status() == 200).map(Answer::body).toList();
    delivered.awaitCount(committed.size(), SOON);
    Await.finished(database.store, database.connectionProvider, SOON);
    assertThat(delivered.deliveredIds()).containsExactlyInAnyOrderElementsOf(committed);
    assertThat(database.eventIds()).containsExactlyInAnyOrderElementsOf(committed);
    assertThat(database.orders())
        .containsExactlyInAnyOrderElementsOf(
            IntStream.rangeClosed(1, REQUESTS)
                .filter(number -> number % 10 != 0)
                .mapToObj(number -> "A-" + number)
                .toList());
  }
}
