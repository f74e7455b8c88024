package io.outbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.outbox.EventEnvelope;
import io.outbox.cli.command.ExitCode;
import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.archive.ArchivingPurger;
import io.outbox.jdbc.store.AbstractJdbcOutboxStore;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Archived events are listed, shown and replayed. */
class ArchiveCommandTest {

  @TempDir Path directory;

  private final Database database = TestDatabase.H2.fresh();
  private final DataSource dataSource = database.dataSource();
  private final CliRun cli = CliRun.on(database);
  private AbstractJdbcOutboxStore store;

  @BeforeEach
  void createTables() {
    assertThat(cli.run("schema", "create", "--archive").exitCode()).isZero();
    assertThat(cli.run("schema", "validate", "--archive").exitCode()).isZero();
    store = JdbcOutboxStores.detect(dataSource);
  }

  @AfterEach
  void drop() {
    database.close();
  }

  private void archive(ArchivingPurger purger, String... types) throws SQLException {
    try (Connection conn = dataSource.getConnection()) {
      for (String type : types) {
        EventEnvelope event =
            EventEnvelope.builder(type).eventId("id-of-" + type).payloadJson("{\"a\":1}").build();
        store.insertNew(conn, event);
        store.markDone(conn, event.eventId());
      }
      purger.purge(conn, Instant.now().plusSeconds(60), 1_000);
    }
  }

  private CliRun.Result run(String... words) {
    return cli.run(words);
  }

  @Test
  void eventsOfTheArchiveTableAreListedShownAndReplayed() throws SQLException {
    archive(ArchivingPurger.toTable("outbox_event"), "OrderPlaced", "Shipped");

    assertThat(run("list").exitCode()).isEqualTo(ExitCode.NOTHING_MATCHED);
    CliRun.Result list = run("archive", "list", "--type", "Shipped");
    assertThat(list.out()).contains("id-of-Shipped").doesNotContain("id-of-OrderPlaced");
    assertThat(run("archive", "list", "--json", "--limit", "1").json().get("next").isJsonNull())
        .isFalse();
    assertThat(run("archive", "show", "id-of-Shipped").json().get("payload").getAsString())
        .isEqualTo("{\"a\":1}");
    assertThat(run("archive", "show", "nowhere").exitCode()).isEqualTo(ExitCode.NOTHING_MATCHED);

    CliRun.Result preview = run("archive", "replay", "--type", "Shipped", "--dry-run");
    assertThat(preview.out()).contains("1 event", "id-of-Shipped");
    CliRun.Result replay = run("archive", "replay", "--type", "Shipped", "--yes", "--as", "ada");
    assertThat(replay.out()).contains("1 event replayed");
    assertThat(run("show", "id-of-Shipped", "--json").json().get("status").getAsString())
        .isEqualTo("NEW");
    assertThat(run("audit").out()).contains("ada", "archive replay");

    assertThat(run("archive", "replay", "id-of-Shipped").exitCode())
        .isEqualTo(ExitCode.NOTHING_MATCHED);
    assertThat(run("archive", "replay", "id-of-OrderPlaced").exitCode()).isZero();
  }

  @Test
  void eventsOfFilesAreListedAndReplayed() throws SQLException {
    archive(ArchivingPurger.toFiles("outbox_event", directory), "OrderPlaced", "Shipped");
    String files = directory.toString();

    assertThat(run("archive", "list", "--files", files).out())
        .contains("id-of-OrderPlaced", "id-of-Shipped");
    CliRun.Result replay = run("archive", "replay", "--all", "--yes", "--json", "--files", files);
    assertThat(replay.json().get("replayed").getAsInt()).isEqualTo(2);
    assertThat(run("archive", "list", "--files", files + "/nowhere").exitCode())
        .isEqualTo(ExitCode.FAILED);
  }

  @Test
  void idsAreReplayedInTheOrderInWhichTheyAreGiven() throws SQLException {
    String[] types = {"F", "B", "E", "A", "D", "C"};
    archive(ArchivingPurger.toTable("outbox_event"), types);
    List<String> ids = Stream.of(types).map("id-of-"::concat).toList();
    List<String> words = new ArrayList<>(List.of("archive", "replay"));
    words.addAll(ids);
    words.add("id-of-F"); // twice

    assertThat(run(words.toArray(String[]::new)).exitCode()).isZero();

    assertThat(events()).isEqualTo(ids);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aReplayThatEndedAtItsLimitSaysHowToContinueBehindIt(boolean files) throws SQLException {
    archive(
        files
            ? ArchivingPurger.toFiles("outbox_event", directory)
            : ArchivingPurger.toTable("outbox_event"),
        "A",
        "B",
        "C");
    List<String> words = new ArrayList<>(List.of("archive", "replay", "--all", "--yes"));
    if (files) {
      words.addAll(List.of("--files", directory.toString()));
    }

    String first = run(with(words, "--limit", "1", "--json")).json().get("next").getAsString();
    assertThat(events()).containsExactly("id-of-A");
    deleteEvents(); // as deleteOnDone does
    CliRun.Result second = run(with(words, "--limit", "1", "--after", first));
    assertThat(second.exitCode()).isZero();
    assertThat(second.err()).contains("to continue, repeat it with --after ");
    assertThat(events()).containsExactly("id-of-B");
    deleteEvents();
    String next = second.err().replaceAll("(?s).*--after (\\S+).*", "$1");
    assertThat(run(with(words, "--after", next, "--json")).json().get("next").isJsonNull())
        .isTrue();
    assertThat(events()).containsExactly("id-of-C");

    assertThat(run(with(words, "--after", "nowhere")).err()).contains("is not from a replay");
  }

  @Test
  void aReplayNamesTheTimesToContinueWith() throws SQLException {
    archive(ArchivingPurger.toTable("outbox_event"), "A", "B", "C");
    List<String> words = List.of("archive", "replay", "--yes", "--limit", "1");

    String err = run(with(words, "--from", "1h", "--until", "PT-1H")).err();
    assertThat(err).containsPattern("repeat it with --after \\S+ --from \\S+Z --until \\S+Z");
    String[] repeated = err.replaceAll("(?s).*(--after.*Z).*", "$1").split(" ");
    JsonObject second = run(with(words, with(List.of(repeated), "--json"))).json();
    assertThat(events()).containsExactly("id-of-A", "id-of-B");
    assertThat(List.of("--from", second.get("from").getAsString())).isSubsetOf(repeated);
    assertThat(List.of("--until", second.get("until").getAsString())).isSubsetOf(repeated);

    String next = second.get("next").getAsString();
    CliRun.Result relative = run(with(words, "--from", "1h", "--until", "PT-1H", "--after", next));
    assertThat(relative.err()).contains("another filter");
    assertThat(events()).hasSize(2);
  }

  @Test
  void aReplayThatFailsSaysHowToContinue() throws SQLException {
    String[] types = IntStream.range(0, 101).mapToObj("T%03d"::formatted).toArray(String[]::new);
    archive(ArchivingPurger.toTable("outbox_event"), types);
    execute("ALTER TABLE outbox_event ADD CONSTRAINT no CHECK (event_id <> 'id-of-T100')");
    List<String> words = List.of("archive", "replay", "--all", "--yes");

    CliRun.Result failed = run(with(words));
    assertThat(failed.exitCode()).isEqualTo(ExitCode.FAILED);
    assertThat(failed.err()).contains("Failed; to continue, repeat it with --after ");
    execute("ALTER TABLE outbox_event DROP CONSTRAINT no");
    deleteEvents();
    String next = failed.err().replaceAll("(?s).*--after (\\S+).*", "$1");
    assertThat(run(with(words, "--after", next)).exitCode()).isZero();
    assertThat(events()).containsExactly("id-of-T100");
  }

  private static String[] with(List<String> words, String... more) {
    return Stream.concat(words.stream(), Stream.of(more)).toArray(String[]::new);
  }

  private List<String> events() throws SQLException {
    try (Connection conn = dataSource.getConnection()) {
      String sql = "SELECT event_id FROM outbox_event ORDER BY seq";
      return new JdbcTemplate().query(conn, sql, row -> row.getString(1));
    }
  }

  private void deleteEvents() throws SQLException {
    execute("DELETE FROM outbox_event");
  }

  private void execute(String sql) throws SQLException {
    try (Connection conn = dataSource.getConnection()) {
      new JdbcTemplate().update(conn, sql);
    }
  }

  @Test
  void aReplayIsAskedForPlainly() {
    assertThat(run("archive").err()).contains("list, show or replay");
    assertThat(run("archive", "replay").err()).contains("which events?");
    assertThat(run("archive", "replay", "--all").err()).contains("--dry-run");
    assertThat(run("archive", "replay", "x", "--all").err()).contains("exclude");
    assertThat(run("archive", "replay", "x", "--after", "y").err()).contains("exclude");
    assertThat(run("archive", "replay", "--all", "--type", "X").err()).contains("--all means");
    assertThat(run("archive", "list", "--limit", "0").err()).contains("--limit");
  }
}
