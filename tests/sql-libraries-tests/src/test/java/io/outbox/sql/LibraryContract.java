package io.outbox.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What holds in the transactions of every library, on PostgreSQL and H2. */
abstract class LibraryContract {

  private static final Duration SOON = Duration.ofSeconds(60);
  private static final int TRANSACTIONS = 2_000;

  /** Starts on an empty database with a table of orders. */
  abstract Library start(Database database);

  private interface Scenario {
    void run(Library library) throws Exception;
  }

  private void on(TestDatabase kind, Scenario scenario) throws Exception {
    try (Database database = kind.fresh()) {
      try (Connection connection = database.dataSource().getConnection();
          Statement statement = connection.createStatement()) {
        statement.execute("CREATE TABLE orders (id VARCHAR(64) PRIMARY KEY)");
        try (Library library = start(database)) {
          scenario.run(library);
        }
      }
    }
  }

  private static void place(Library library, Library.Orders orders, String id) throws Exception {
    orders.insert(id);
    library.writer().write(id, "{}");
  }

  /** Exactly these were delivered, and there are as many orders. */
  private static void assertPlaced(Library library, String... ids) throws Exception {
    library.inTransaction(orders -> place(library, orders, "last"));
    List<String> expected = new ArrayList<>(List.of(ids));
    expected.add("last");
    library.delivered().awaitCount(expected.size(), SOON);
    assertThat(library.delivered().deliveries())
        .extracting(delivery -> delivery.event().eventType())
        .containsExactlyInAnyOrderElementsOf(expected);
    assertThat(library.countOrders()).isEqualTo(expected.size());
  }

  @ParameterizedTest
  @EnumSource(names = {"H2", "POSTGRES"})
  void R2_aCommitDeliversAndARollbackDoesNot(TestDatabase kind) throws Exception {
    on(
        kind,
        library -> {
          library.inTransaction(orders -> place(library, orders, "A-1"));
          assertThatThrownBy(
                  () ->
                      library.inTransaction(
                          orders -> {
                            place(library, orders, "A-2");
                            throw new UnsupportedOperationException("card refused");
                          }))
              .hasStackTraceContaining("card refused");
          assertThatThrownBy(() -> library.inTransaction(orders -> place(library, orders, "A-1")))
              .as("the order is there already")
              .isInstanceOf(Exception.class);

          assertPlaced(library, "A-1");
        });
  }

  @ParameterizedTest
  @EnumSource(names = {"H2", "POSTGRES"})
  void R2_aTransactionInsideAnotherIsRolledBackAlone(TestDatabase kind) throws Exception {
    on(
        kind,
        library -> {
          library.inTransaction(
              outer -> {
                place(library, outer, "A-1");
                assertThatThrownBy(
                        () ->
                            outer.nested(
                                inner -> {
                                  place(library, inner, "A-2");
                                  inner.nested(innermost -> place(library, innermost, "A-3"));
                                  place(library, inner, "A-1");
                                }))
                    .as("the order is there already")
                    .isInstanceOf(Exception.class);
                outer.nested(inner -> place(library, inner, "A-4"));
              });
          assertThatThrownBy(
                  () ->
                      library.inTransaction(
                          outer -> {
                            outer.nested(inner -> place(library, inner, "A-5"));
                            throw new UnsupportedOperationException("card refused");
                          }))
              .hasStackTraceContaining("card refused");

          assertPlaced(library, "A-1", "A-4");
        });
  }

  @ParameterizedTest
  @EnumSource(names = {"H2", "POSTGRES"})
  void R16_aWriteWithoutATransactionIsRefused(TestDatabase kind) throws Exception {
    on(
        kind,
        library -> {
          assertThatIllegalStateException().isThrownBy(() -> library.writer().write("A-1", "{}"));

          assertPlaced(library);
        });
  }

  @ParameterizedTest
  @EnumSource(names = {"H2", "POSTGRES"})
  void R3_eventsOfManyConcurrentTransactionsAreDeliveredOnce(TestDatabase kind) throws Exception {
    on(
        kind,
        library -> {
          ExecutorService threads = Executors.newFixedThreadPool(8);
          try {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < TRANSACTIONS; i++) {
              String id = "A-" + i;
              all.add(
                  threads.submit(
                      () -> {
                        library.inTransaction(orders -> place(library, orders, id));
                        return null;
                      }));
            }
            for (Future<?> one : all) {
              one.get(60, TimeUnit.SECONDS);
            }
          } finally {
            threads.shutdownNow();
          }

          assertPlaced(
              library,
              IntStream.range(0, TRANSACTIONS).mapToObj(i -> "A-" + i).toArray(String[]::new));
        });
  }
}
