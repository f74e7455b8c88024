package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.Outbox;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.jdbc.tx.JdbcTransactionManager;
import io.outbox.jdbc.tx.ThreadLocalTxContext;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.testdb.TestDatabase;
import io.outbox.testing.Await;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A node of an earlier version and one of this, beside each other on one table, as during a rolling
 * deployment. {@code .ci/run} builds the earlier one and names its directory by {@code
 * -Doutbox.previous}.
 */
@Timeout(300)
class PreviousVersionTest {

  private static final int EVENTS = 300;
  private static final int KEYS = 20;
  private static final Duration PATIENCE = Duration.ofSeconds(120);

  @TempDir Path directory;

  private record Call(String node, String key, int n, String eventId, long nanos) {
    static Call of(String line) {
      String[] parts = line.split(",");
      return new Call(
          parts[0], parts[1], Integer.parseInt(parts[2]), parts[3], Long.parseLong(parts[4]));
    }

    /** What one process wrote for a key, it wrote in order. */
    String writerAndKey() {
      return node + " " + key;
    }
  }

  @ParameterizedTest
  @CsvSource({
    "POSTGRES, multiNode",
    "POSTGRES, orderedByKey",
    "MARIADB, multiNode",
    "MARIADB, orderedByKey"
  })
  void R3_nodesOfTwoVersionsDeliverEachEventOnce(TestDatabase kind, String mode) throws Exception {
    String previous = System.getProperty("outbox.previous");
    assumeTrue(
        previous != null, "-Doutbox.previous does not say where an earlier version is built");
    try (Scenario scenario = Scenario.orderedByKeyOn(kind)) {
      List<String> arguments =
          List.of(
              scenario.database.jdbcUrl(),
              scenario.database.user(),
              scenario.database.password(),
              mode,
              directory.toString());
      try (ChildJvm old = node("old", arguments, Map.of("CLASSPATH", classPath(previous)));
          ChildJvm current = node("new", arguments, Map.of())) {
        Await.until(
            "both to write",
            PATIENCE,
            () -> old.output().contains("written") && current.output().contains("written"));
        scenario.awaitFinished(PATIENCE);
        old.end();
        current.end();
        assertThat(old.output()).contains("classes of " + previous);
        assertThat(current.output()).doesNotContain(previous);
      }
      List<Call> calls = new ArrayList<>();
      for (String name : List.of("old", "new")) {
        Files.readAllLines(directory.resolve(name + ".calls")).stream()
            .map(Call::of)
            .forEach(calls::add);
      }
      assertThat(calls).extracting(Call::eventId).doesNotHaveDuplicates().hasSize(2 * EVENTS);
      if (mode.equals("orderedByKey")) {
        assertInOrder(calls);
      }
    }
  }

  private static void assertInOrder(List<Call> calls) {
    Map<String, List<Call>> streams =
        calls.stream()
            .sorted(Comparator.comparingLong(Call::nanos))
            .collect(Collectors.groupingBy(Call::writerAndKey));
    assertThat(streams.values())
        .allSatisfy(stream -> assertThat(stream).extracting(Call::n).isSorted());
  }

  private ChildJvm node(String name, List<String> arguments, Map<String, String> environment)
      throws IOException {
    List<String> all = new ArrayList<>(arguments);
    all.add(name);
    return new ChildJvm(
        PreviousVersionTest.class, directory.resolve(name + ".log"), all, environment);
  }

  /** Core and JDBC of the commit before, everything else of this one. */
  private static String classPath(String previous) {
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
        .map(
            entry -> {
              for (String module : List.of("outbox-core", "outbox-jdbc")) {
                if (entry.replace('\\', '/').contains("/" + module + "/target/")) {
                  return Path.of(previous, module, "target", "classes").toString();
                }
              }
              return entry;
            })
        .collect(Collectors.joining(File.pathSeparator));
  }

  // ---- in the other JVM

  public static void main(String[] args) throws Exception {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(args[0]);
    config.setUsername(args[1]);
    config.setPassword(args[2]);
    config.setMaximumPoolSize(8);
    String name = args[5];
    Path calls = Path.of(args[4], name + ".calls");
    Files.createFile(calls);
    System.out.println(
        "classes of "
            + Path.of(Outbox.class.getProtectionDomain().getCodeSource().getLocation().toURI()));
    try (HikariDataSource pool = new HikariDataSource(config)) {
      ThreadLocalTxContext tx = new ThreadLocalTxContext();
      DataSourceConnectionProvider connections = new DataSourceConnectionProvider(pool);
      Outbox.AbstractBuilder<?> builder =
          args[3].equals("multiNode")
              ? Outbox.multiNode().claimLocking(Duration.ofSeconds(30))
              : Outbox.orderedByKey();
      try (Outbox outbox =
          builder
              .connectionProvider(connections)
              .txContext(tx)
              .outboxStore(JdbcOutboxStores.detect(pool))
              .listenerRegistry(new DefaultListenerRegistry().registerDefault(writingTo(calls)))
              .intervalMs(100)
              .build()) {
        JdbcTransactionManager transactions = new JdbcTransactionManager(connections, tx);
        for (int i = 0; i < EVENTS; i++) {
          EventEnvelope event =
              EventEnvelope.builder("Mixed")
                  .orderingKey("key " + i % KEYS)
                  .payloadJson("\"" + name + "," + "key " + i % KEYS + "," + i + "\"")
                  .build();
          Deadlocks.retried(
              () -> {
                transactions.run(transaction -> outbox.writer().write(event));
                return null;
              });
        }
        System.out.println("written");
        ChildJvm.awaitEnd();
      }
    }
  }

  private static EventListener writingTo(Path calls) {
    return event -> {
      String line =
          event.payloadJson().replace("\"", "")
              + ","
              + event.eventId()
              + ","
              + System.nanoTime()
              + "\n";
      synchronized (calls) {
        Files.writeString(calls, line, StandardOpenOption.APPEND);
      }
      return DispatchResult.done();
    };
  }
}
