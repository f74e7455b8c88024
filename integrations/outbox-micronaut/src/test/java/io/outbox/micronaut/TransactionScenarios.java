package io.outbox.micronaut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micronaut.runtime.server.EmbeddedServer;
import io.micronaut.transaction.exceptions.UnexpectedRollbackException;
import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.micronaut.shop.Shop;
import io.outbox.micronaut.shop.Transactions;
import io.outbox.testdb.TestDatabase;
import io.outbox.testing.Await;
import io.outbox.testing.RecordingListener;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is delivered, and what is refused, in a Micronaut application. */
abstract class TransactionScenarios {

  private static final Duration SOON = Duration.ofSeconds(60);
  private static final long NEVER = 600_000; // only the hot path delivers
  private static final int REQUESTS = 2_000;
  private static final int CLIENTS = 100;
  private static final int BACKLOG = 40;

  private final TestDatabase kind;
  private final RecordingListener listener = new RecordingListener();
  private TestApp app;
  private Transactions transactions;
  private Shop shop;

  TransactionScenarios(TestDatabase kind) {
    this.kind = kind;
  }

  @BeforeEach
  void open() {
    TestApp.clear(kind);
    start(NEVER);
  }

  private void start(long intervalMs) {
    app =
        TestApp.start(
            kind,
            "shop",
            Map.of(
                "outbox.poller.interval-ms",
                intervalMs,
                "outbox.dispatcher.drain-timeout-ms",
                60_000),
            listener);
    transactions = app.get(Transactions.class);
    shop = app.get(Shop.class);
  }

  @AfterEach
  void close() {
    app.close();
  }

  private void write() {
    app.get(OutboxWriter.class).write("OrderPlaced", "{}");
  }

  /** Exactly these were committed, with as many events, and each event was delivered once. */
  private void assertDelivered(String... orders) throws SQLException {
    listener.awaitCount(orders.length, SOON);
    app.close(); // delivers what is queued
    assertThat(app.column("SELECT id FROM orders")).containsExactlyInAnyOrder(orders);
    assertThat(listener.deliveredIds())
        .containsExactlyInAnyOrderElementsOf(app.column("SELECT event_id FROM outbox_event"))
        .hasSize(orders.length);
    assertThat(app.column("SELECT event_id FROM outbox_event WHERE status <> 1")).isEmpty();
  }

  private void assertRefused(String... words) {
    assertThatIllegalStateException().isThrownBy(this::write).withMessageContainingAll(words);
  }

  @Test
  void R2_aCommitDeliversAndARollbackDoesNot() throws Exception {
    shop.place("A-1", false);
    assertThatThrownBy(() -> shop.place("A-2", true)).hasMessage("the order is refused");

    assertDelivered("A-1");
  }

  @Test
  void R2_aNewTransactionInsideIsCommittedAndRolledBackAlone() throws Exception {
    assertThatThrownBy(
            () ->
                transactions.required(
                    () -> {
                      shop.place("outer rolled back", false);
                      transactions.requiresNew(() -> shop.place("inner committed", false));
                      listener.awaitCount(1, SOON);
                      throw new IllegalStateException("after the inner one");
                    }))
        .hasMessage("after the inner one");
    transactions.required(
        () -> {
          assertThatThrownBy(
                  () -> transactions.requiresNew(() -> shop.place("inner rolled back", true)))
              .hasMessage("the order is refused");
          shop.place("outer committed", false);
        });

    assertDelivered("inner committed", "outer committed");
  }

  @Test
  void R16_aSuspendedTransactionTakesNoEvents() throws Exception {
    assertRefused("no transaction", "@Transactional");
    transactions.required(
        () -> {
          shop.place("resumed", false);
          transactions.notSupported(() -> assertRefused("in no transaction", "REQUIRES_NEW"));
        });
    transactions.readOnly(() -> assertRefused("read-only"));

    assertDelivered("resumed");
  }

  /** Micronaut makes savepoints inside of a transaction that is NESTED itself. */
  @Test
  void R2_aRollbackToASavepointTakesItsEventsAlong() throws Exception {
    transactions.nested(
        () -> {
          shop.place("before", false);
          assertThatThrownBy(() -> transactions.nested(() -> shop.place("undone", true)))
              .hasMessage("the order is refused");
          transactions.nested(() -> shop.place("released", false));
        });

    assertDelivered("before", "released");
  }

  /** There Micronaut makes no savepoint: the nested one joins, and takes all along. */
  @Test
  void R2_aNestedTransactionInsideARequiredOneJoinsIt() throws Exception {
    assertThatThrownBy(
            () ->
                transactions.required(
                    () -> {
                      shop.place("before", false);
                      assertThatThrownBy(
                              () -> transactions.nested(() -> shop.place("nested", true)))
                          .hasMessage("the order is refused");
                    }))
        .isInstanceOf(UnexpectedRollbackException.class);
    transactions.required(() -> transactions.nested(() -> shop.place("joined", false)));

    assertDelivered("joined");
  }

  @Test
  void R2_aTransactionWhoseStatementTimesOutDeliversNothing() throws Exception {
    try (Connection other = app.database().dataSource().getConnection();
        Statement lock = other.createStatement()) {
      other.setAutoCommit(false);
      lock.execute("INSERT INTO orders VALUES ('A-1')");
      assertThatThrownBy(
              () ->
                  transactions.required(
                      () -> {
                        shop.place("A-2", false);
                        limitLocks();
                        shop.insert("A-1");
                      }))
          .hasStackTraceContaining("imeout");
      other.rollback();
    }
    shop.place("A-3", false);

    assertDelivered("A-3");
  }

  private void limitLocks() throws SQLException {
    execute(
        kind == TestDatabase.POSTGRES
            ? "SET LOCAL lock_timeout = '200ms'"
            : "SET LOCK_TIMEOUT 200");
  }

  /** On the connection of the transaction. */
  private void execute(String sql) throws SQLException {
    try (Connection connection = app.get(DataSource.class).getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** The server ends the session of a transaction that idles; H2 has no such timeout. */
  final void endIdleSession() throws Exception {
    assertThatThrownBy(
            () ->
                transactions.required(
                    () -> {
                      execute("SET LOCAL application_name = 'idle'");
                      execute("SET LOCAL idle_in_transaction_session_timeout = '200ms'");
                      shop.place("A-1", false);
                      Await.until("the end of the session", SOON, this::isSessionGone);
                    }))
        .isInstanceOf(RuntimeException.class);
    shop.place("A-2", false);

    assertDelivered("A-2");
  }

  private boolean isSessionGone() {
    try {
      return app.column("SELECT pid FROM pg_stat_activity WHERE application_name = 'idle'")
          .isEmpty();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void R3_manyRequestsAtOnceDeliverEachEventOnce() throws Exception {
    app.close();
    start(100); // the poller comes across the same rows
    List<String> committed = new ArrayList<>();
    ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
    try (EmbeddedServer server = app.get(EmbeddedServer.class).start()) {
      HttpClient http =
          HttpClient.newBuilder().executor(clients).version(HttpClient.Version.HTTP_1_1).build();
      List<Callable<HttpResponse<String>>> requests = new ArrayList<>();
      for (int i = 0; i < REQUESTS; i++) {
        HttpRequest order =
            HttpRequest.newBuilder(URI.create(server.getURI() + "/orders/A-" + i))
                .POST(BodyPublishers.noBody())
                .timeout(SOON)
                .build();
        requests.add(() -> http.sendAsync(order, BodyHandlers.ofString()).get());
      }
      ExecutorService callers = Executors.newFixedThreadPool(CLIENTS);
      try {
        for (Future<HttpResponse<String>> answer : callers.invokeAll(requests)) {
          if (answer.get().statusCode() == 200) {
            committed.add(answer.get().body());
          }
        }
      } finally {
        callers.shutdownNow();
      }
      listener.awaitCount(committed.size(), SOON);
    } finally {
      clients.shutdownNow();
    }

    app.close();
    assertThat(committed).hasSize(REQUESTS - REQUESTS / 10); // every tenth was refused
    assertThat(listener.deliveredIds()).containsExactlyInAnyOrderElementsOf(committed);
    assertThat(app.column("SELECT id FROM orders")).hasSize(committed.size());
  }

  @Test
  void R1_aRestartInTheMiddleLosesNothing() throws Exception {
    app.close();
    app =
        TestApp.start(
            kind,
            "shop",
            Map.of("outbox.dispatcher.worker-count", 2, "outbox.dispatcher.drain-timeout-ms", 100),
            listener);
    List<String> written = new ArrayList<>();
    for (int i = 0; i < BACKLOG; i++) {
      written.add(app.get(Shop.class).place("A-" + i, false));
      if (i == BACKLOG / 2) {
        listener.awaitCount(BACKLOG / 4, SOON);
        listener.block();
      }
    }
    Await.until("listeners that run", SOON, () -> listener.running() == 2);
    app.close();
    listener.release();
    assertThat(app.column("SELECT event_id FROM outbox_event WHERE status <> 1")).isNotEmpty();

    start(100);
    Outbox outbox = app.get(Outbox.class);
    assertThat(outbox.isRunning()).isTrue();
    Await.until(
        () -> "all events, so far " + listener.count(),
        SOON,
        () -> listener.deliveredIds().containsAll(written));
    app.close();
    assertThat(outbox.isRunning()).isFalse();
    assertThat(app.column("SELECT event_id FROM outbox_event WHERE status = 1"))
        .containsExactlyInAnyOrderElementsOf(written);
  }
}
