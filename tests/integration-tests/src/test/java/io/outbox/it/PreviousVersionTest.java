package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.outbox.testdb.TestDatabase;
import io.outbox.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Nodes of an earlier version and of this one, beside each other on one table, as during a rolling
 * deployment. {@code .ci/run} builds the earlier one and names its directory by {@code
 * -Doutbox.previous}.
 */
@Timeout(1200)
@Tag("each-database")
class PreviousVersionTest {

  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final String PREVIOUS = System.getProperty("outbox.previous");

  @TempDir Path directory;

  private static Stream<Arguments> databasesAndModes() {
    return Databases.servers()
        .flatMap(
            kind -> Stream.of("multiNode", "orderedByKey").map(mode -> Arguments.of(kind, mode)));
  }

  private static Scenario start(TestDatabase kind) {
    assumeTrue(
        PREVIOUS != null, "-Doutbox.previous does not say where an earlier version is built");
    return Scenario.orderedByKeyOn(kind);
  }

  @ParameterizedTest
  @MethodSource("databasesAndModes")
  void R3_nodesOfTwoVersionsDeliverEachEventOnce(TestDatabase kind, String mode) throws Exception {
    try (Scenario scenario = start(kind);
        Version old = node(scenario, mode, "old");
        Version current = node(scenario, mode, "new")) {
      old.awaitWriting();
      current.awaitWriting();
      old.stopWriting();
      current.stopWriting();
      scenario.awaitFinished(PATIENCE);
      old.jvm.end();
      current.jvm.end();
      assertDelivered(scenario, mode, List.of("old", "new"));
    }
  }

  /** Two nodes get the new version, one after the other, and one of them the old one again. */
  @ParameterizedTest
  @MethodSource("databasesAndModes")
  void R3_aRollingChangeOfTheVersionAndBackDeliversEachEventOnce(TestDatabase kind, String mode)
      throws Exception {
    try (Scenario scenario = start(kind);
        Version first = node(scenario, mode, "old-1");
        Version second = node(scenario, mode, "old-2")) {
      first.awaitWriting();
      second.awaitWriting();
      try (Version firstNew = first.replacedBy("new-1");
          Version secondNew = second.replacedBy("new-2");
          Version firstAgain = firstNew.replacedBy("old-3")) {
        firstAgain.stopWriting();
        secondNew.stopWriting();
        scenario.awaitFinished(PATIENCE);
        firstAgain.jvm.end();
        secondNew.jvm.end();
      }
      assertDelivered(scenario, mode, List.of("old-1", "old-2", "new-1", "new-2", "old-3"));
    }
  }

  private void assertDelivered(Scenario scenario, String mode, List<String> nodes)
      throws IOException {
    List<Call> calls = new ArrayList<>();
    for (String name : nodes) {
      Files.readAllLines(directory.resolve(name + ".calls")).stream()
          .map(Call::of)
          .forEach(calls::add);
    }
    List<String> written =
        scenario.query("SELECT event_id FROM outbox_event").stream()
            .map(row -> String.valueOf(row.get(0)))
            .toList();
    assertThat(calls).extracting(Call::eventId).containsExactlyInAnyOrderElementsOf(written);
    assertThat(written).hasSizeGreaterThanOrEqualTo(nodes.size() * VersionNode.ENOUGH);
    if (mode.equals("orderedByKey")) {
      assertInOrder(calls);
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

  private Version node(Scenario scenario, String mode, String name) throws IOException {
    return new Version(scenario, mode, name);
  }

  /** A node whose name says which version it is of. */
  private final class Version implements AutoCloseable {
    private final Scenario scenario;
    private final String mode;
    private final String name;
    private final ChildJvm jvm;

    Version(Scenario scenario, String mode, String name) throws IOException {
      this.scenario = scenario;
      this.mode = mode;
      this.name = name;
      List<String> arguments =
          List.of(
              scenario.database.jdbcUrl(),
              scenario.database.user(),
              scenario.database.password(),
              mode,
              directory.toString(),
              name);
      Map<String, String> environment =
          isOld() ? Map.of("CLASSPATH", ChildJvm.classPathWith(Path.of(PREVIOUS))) : Map.of();
      this.jvm =
          new ChildJvm(VersionNode.class, directory.resolve(name + ".log"), arguments, environment);
    }

    private boolean isOld() {
      return name.startsWith("old");
    }

    void awaitWriting() {
      await("written");
      assertThat(jvm.output().contains("classes of " + PREVIOUS)).isEqualTo(isOld());
    }

    void stopWriting() throws IOException {
      jvm.tell();
      await("stopped");
    }

    /** Ends, as a deployment ends it; the next one begins in its place. */
    Version replacedBy(String next) throws Exception {
      stopWriting();
      jvm.end();
      Version version = new Version(scenario, mode, next);
      version.awaitWriting();
      return version;
    }

    private void await(String word) {
      Await.until(name + " to have " + word, PATIENCE, () -> jvm.output().contains(word));
    }

    @Override
    public void close() {
      jvm.close();
    }
  }
}
