package io.outbox.moving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.cli.Cli;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** From namastack-outbox to this library while writers run: every event arrives once. */
class CutOverTest {

  private static final Duration PATIENCE = Duration.ofSeconds(90);
  private static final int WRITERS = 4;
  private static final int BEFORE = 300;
  private static final int EACH = 60;
  private static final int LEFT = 40;

  /** Gives numbers to orders, and counts. */
  private final AtomicInteger numbers = new AtomicInteger();

  private OrderPlaced next() {
    int number = numbers.incrementAndGet();
    return new OrderPlaced(number, "customer-" + number % 7);
  }

  /** A thread of the application, which is deployed anew in the middle of its work. */
  private final class Writer {
    private final AtomicInteger written = new AtomicInteger();
    private volatile Consumer<OrderPlaced> outbox;
    private volatile boolean ended;
    private final Thread thread = new Thread(this::run, "writer");

    Writer(Consumer<OrderPlaced> outbox) {
      this.outbox = outbox;
      thread.start();
    }

    private void run() {
      while (!ended) {
        outbox.accept(next());
        written.incrementAndGet();
      }
    }

    void awaitMore(int count) {
      int before = written.get();
      await().atMost(PATIENCE).until(() -> written.get() >= before + count || !thread.isAlive());
      assertThat(thread.isAlive()).isTrue();
    }

    void end() throws InterruptedException {
      ended = true;
      thread.join(PATIENCE.toMillis());
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"POSTGRES", "MARIADB"})
  void theTableIsTakenWhileWritersMoveOneByOne(TestDatabase kind) throws Exception {
    try (Database database = kind.fresh()) {
      HikariDataSource dataSource = database.pooled(20);
      OutboxSchema.create(dataSource);
      try (NamastackApp old = new NamastackApp(dataSource, "1h", order -> {});
          Delivered delivered = new Delivered(dataSource)) {
        for (int i = 0; i < BEFORE; i++) {
          old.write(next());
        }
        List<Writer> writers = new ArrayList<>();
        for (int i = 0; i < WRITERS; i++) {
          writers.add(new Writer(old::write));
        }
        CompletableFuture<Cli.Result> importing =
            CompletableFuture.supplyAsync(
                () ->
                    new Cli(database)
                        .run(
                            "import",
                            "--from",
                            "namastack",
                            "--take",
                            "--follow",
                            "3s",
                            "--batch",
                            "100",
                            "--json"));
        for (Writer writer : writers) {
          writer.awaitMore(EACH);
          writer.outbox = delivered::write;
        }
        for (Writer writer : writers) {
          writer.awaitMore(EACH);
          writer.end();
        }
        int written = numbers.get();
        Cli.Result imported = importing.get();
        await().atMost(PATIENCE).until(() -> delivered.orders() == written);

        assertThat(imported.exitCode()).as(imported.toString()).isZero();
        assertThat(Sql.count(dataSource, "outbox_record")).isZero();
        assertThat(Sql.count(dataSource, "outbox_event")).isEqualTo(written);
        await()
            .atMost(PATIENCE)
            .until(() -> Sql.count(dataSource, "outbox_event WHERE status = 1") == written);
        assertThat(delivered.mostOften()).isEqualTo(1);
        assertThat(imported.number("imported")).isGreaterThan(BEFORE).isLessThan(written);
        System.out.printf(
            "%s: %d before, %d written, %d imported, %d delivered, each once%n",
            kind, BEFORE, written, imported.number("imported"), delivered.orders());
      }
    }
  }

  @Test
  void theOldLibraryDeliversUntilItIsStopped() throws Exception {
    Map<Integer, AtomicInteger> byOld = new ConcurrentHashMap<>();
    try (Database database = TestDatabase.POSTGRES.fresh()) {
      HikariDataSource dataSource = database.pooled(20);
      OutboxSchema.create(dataSource);
      try (Delivered delivered = new Delivered(dataSource)) {
        List<Writer> writers = new ArrayList<>();
        Consumer<OrderPlaced> handler =
            order ->
                byOld
                    .computeIfAbsent(order.number(), each -> new AtomicInteger())
                    .incrementAndGet();
        try (NamastackApp old = new NamastackApp(dataSource, "50ms", handler)) {
          for (int i = 0; i < WRITERS; i++) {
            writers.add(new Writer(old::write));
          }
          await().atMost(PATIENCE).until(() -> byOld.size() > 20);
          for (Writer writer : writers) {
            writer.awaitMore(EACH);
            writer.outbox = delivered::write;
            writer.awaitMore(2);
          }
        }
        try (NamastackApp last = new NamastackApp(dataSource, "1h", handler)) {
          for (int i = 0; i < LEFT; i++) {
            last.write(next());
          }
        }
        long left = Sql.count(dataSource, "outbox_record WHERE status = 'NEW'");
        Cli.Result imported =
            new Cli(database).run("import", "--from", "namastack", "--take", "--json");
        for (Writer writer : writers) {
          writer.end();
        }
        int written = numbers.get();
        await().atMost(PATIENCE).until(() -> byOld.size() + delivered.orders() == written);

        assertThat(left).isGreaterThanOrEqualTo(LEFT);
        assertThat(imported.number("imported")).as(imported.toString()).isEqualTo(left);
        assertThat(delivered.mostOften()).isEqualTo(1);
        assertThat(byOld.values()).allMatch(times -> times.get() == 1);
        assertThat(byOld.keySet()).noneMatch(number -> delivered.event(number) != null);
        System.out.printf(
            "%d written, %d delivered by the old library, %d imported, %d delivered, each once%n",
            written, byOld.size(), left, delivered.orders());
      }
    }
  }
}
