package io.outbox.moving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.EventEnvelope;
import io.outbox.cli.Cli;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tables that the real libraries created and filled are imported, on every database. */
abstract class LibraryImports {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Database database;
  private final HikariDataSource dataSource;
  private Cli cli;

  LibraryImports(TestDatabase kind) {
    database = kind.fresh();
    dataSource = database.pooled(12);
  }

  @BeforeEach
  void createTable() {
    OutboxSchema.create(dataSource);
    cli = new Cli(database);
  }

  @AfterEach
  void drop() {
    database.close();
  }

  private static OrderPlaced order(int number) {
    return new OrderPlaced(number, "customer-" + number % 3);
  }

  private static void fail(OrderPlaced order) {
    throw new IllegalStateException("mail server down");
  }

  private Delivered delivered(int orders) {
    Delivered delivered = new Delivered(dataSource);
    await().atMost(PATIENCE).until(() -> delivered.orders() == orders);
    return delivered;
  }

  @Test
  void recordsOfNamastack() {
    Instant begin = Instant.now().minusSeconds(5);
    try (NamastackApp handled = new NamastackApp(dataSource, "100ms", order -> {})) {
      handled.write(order(1));
      await().atMost(PATIENCE).until(() -> count("outbox_record WHERE status = 'COMPLETED'") == 1);
    }
    try (NamastackApp failing = new NamastackApp(dataSource, "100ms", LibraryImports::fail)) {
      failing.write(order(2));
      await().atMost(PATIENCE).until(() -> count("outbox_record WHERE status = 'FAILED'") == 1);
    }
    try (NamastackApp waiting = new NamastackApp(dataSource, "1h", LibraryImports::fail)) {
      for (int number = 3; number < 13; number++) {
        waiting.write(order(number));
      }
    }
    assertThat(count("outbox_record WHERE status = 'NEW'")).isEqualTo(10);

    assertThat(cli.run("import", "--from", "namastack", "--dry-run").out())
        .contains("outbox_record: 10 rows, 10 would be imported")
        .contains("OrderPlaced");
    Cli.Result copied =
        cli.run("import", "--from", "namastack", "--copy", "--rows", "finished,dead", "--json");
    Cli.Result verified =
        cli.run("import", "--from", "namastack", "--verify", "--rows", "finished,dead");
    Cli.Result taken = cli.run("import", "--from", "namastack", "--take", "--json");

    assertThat(copied.number("imported")).as(copied.toString()).isEqualTo(2);
    assertThat(verified.exitCode()).as(verified.toString()).isZero();
    assertThat(taken.number("imported")).as(taken.toString()).isEqualTo(10);
    assertThat(count("outbox_record")).isEqualTo(2);
    assertThat(count("outbox_event WHERE status = 1")).isEqualTo(1);
    assertThat(count("outbox_event WHERE status = 3 AND last_error LIKE '%mail server down%'"))
        .isEqualTo(1);
    try (Delivered delivered = delivered(10)) {
      EventEnvelope event = delivered.event(3);
      assertThat(event.eventType()).isEqualTo("OrderPlaced");
      assertThat(event.aggregateId()).isEqualTo("customer-0");
      assertThat(event.headers())
          .containsEntry("tenant", "shop")
          .containsEntry("record-type", OrderPlaced.class.getName())
          .containsKey("handler-id");
      assertThat(event.occurredAt()).isBetween(begin, Instant.now().plusSeconds(5));
      assertThat(delivered.mostOften()).isEqualTo(1);
    }
  }

  @Test
  void publicationsOfModulith() throws Exception {
    Instant begin = Instant.now().minusSeconds(5);
    try (ModulithApp listening = new ModulithApp(dataSource, order -> {})) {
      listening.write(order(1));
      await()
          .atMost(PATIENCE)
          .until(() -> count("EVENT_PUBLICATION WHERE completion_date IS NOT NULL") == 1);
    }
    CountDownLatch failed = new CountDownLatch(10);
    try (ModulithApp failing =
        new ModulithApp(
            dataSource,
            order -> {
              failed.countDown();
              fail(order);
            })) {
      for (int number = 2; number < 12; number++) {
        failing.write(order(number));
      }
      assertThat(failed.await(60, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(count("EVENT_PUBLICATION WHERE completion_date IS NULL")).isEqualTo(10);

    Cli.Result copied =
        cli.run("import", "--from", "modulith", "--copy", "--rows", "finished", "--json");
    Cli.Result taken = cli.run("import", "--from", "modulith", "--take", "--json");

    assertThat(copied.number("imported")).as(copied.toString()).isEqualTo(1);
    assertThat(taken.number("imported")).as(taken.toString()).isEqualTo(10);
    assertThat(count("EVENT_PUBLICATION")).isEqualTo(1);
    try (Delivered delivered = delivered(10)) {
      EventEnvelope event = delivered.event(2);
      assertThat(event.eventType()).isEqualTo("OrderPlaced");
      assertThat(event.headers())
          .containsEntry("event-class", OrderPlaced.class.getName())
          .containsEntry("listener-id", "mailer");
      assertThat(event.occurredAt()).isBetween(begin, Instant.now().plusSeconds(5));
      assertThat(delivered.mostOften()).isEqualTo(1);
    }
  }

  @Test
  void rowsInTheLayoutOfDebezium() {
    boolean postgres = database.kind() == TestDatabase.POSTGRES;
    String id = database.kind() == TestDatabase.MARIADB ? "CHAR(36)" : "UUID";
    String json = postgres ? "JSONB" : "VARCHAR(4000)";
    Sql.execute(
        dataSource,
        """
        CREATE TABLE outboxevent (
          id %s PRIMARY KEY, aggregatetype VARCHAR(255) NOT NULL,
          aggregateid VARCHAR(255) NOT NULL, type VARCHAR(255) NOT NULL, payload %s)
        """
            .formatted(id, json));
    for (int number = 1; number <= 3; number++) {
      Sql.execute(
          dataSource,
          """
          INSERT INTO outboxevent VALUES
            ('00000000-0000-0000-0000-00000000000%1$d', 'Order', 'o-%1$d', 'OrderPlaced',
             '{"number": %1$d}')
          """
              .formatted(number));
    }

    Cli.Result taken = cli.run("import", "--from", "debezium", "--take", "--json");

    assertThat(taken.number("imported")).as(taken.toString()).isEqualTo(3);
    assertThat(count("outboxevent")).isZero();
    try (Delivered delivered = delivered(3)) {
      assertThat(delivered.event(2).eventId()).isEqualTo("00000000-0000-0000-0000-000000000002");
      assertThat(delivered.event(2).aggregateType()).isEqualTo("Order");
      delivered.writeTyped(order(4));
      await().atMost(PATIENCE).until(() -> delivered.orders() == 4);
    }
  }

  private long count(String what) {
    return Sql.count(dataSource, what);
  }
}
