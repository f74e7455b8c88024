package io.outbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.outbox.EventEnvelope;
import io.outbox.cli.command.ExitCode;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.store.AbstractJdbcOutboxStore;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.model.EventRoute;
import io.outbox.model.EventStatus;
import io.outbox.spi.NewEvent;
import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every command does on every database. */
abstract class CommandsContract {

  private static final String HOSTILE = "boom \u001b[2J\u009b31m\u202e\r\n<script>";

  private final Database database;
  private final DataSource dataSource;
  private AbstractJdbcOutboxStore store;
  private CliRun cli;

  CommandsContract(TestDatabase kind) {
    database = kind.fresh();
    dataSource = database.dataSource();
  }

  @BeforeEach
  void createTables() {
    OutboxSchema.create(dataSource);
    store = JdbcOutboxStores.detect(dataSource);
    cli = CliRun.on(database);
  }

  @AfterEach
  void drop() {
    database.close();
  }

  // ---- what is there

  private interface Work<T> {
    T on(Connection conn) throws SQLException;
  }

  private <T> T inTransaction(Work<T> work) {
    try (Connection conn = dataSource.getConnection()) {
      conn.setAutoCommit(false);
      T result = work.on(conn);
      conn.commit();
      return result;
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private EventEnvelope.Builder event(String type) {
    return EventEnvelope.builder(type).payloadJson("{\"b\":1,\"a\":[2]}");
  }

  private String write(EventEnvelope.Builder event) {
    EventEnvelope envelope = event.build();
    inTransaction(
        conn -> {
          store.insertNew(conn, envelope);
          return null;
        });
    return envelope.eventId();
  }

  private String writeDead(String type, String error) {
    String id = write(event(type));
    inTransaction(conn -> store.markDead(conn, id, error));
    return id;
  }

  private String writeDone(String type) {
    String id = write(event(type));
    inTransaction(conn -> store.markDone(conn, id));
    return id;
  }

  private void writeMany(String type, int count) {
    List<NewEvent> events =
        IntStream.range(0, count).mapToObj(i -> NewEvent.unleased(event(type).build())).toList();
    inTransaction(
        conn -> {
          store.insertAll(conn, events);
          return null;
        });
  }

  private EventStatus status(String id) {
    return EventStatus.valueOf(cli.run("show", id, "--json").json().get("status").getAsString());
  }

  private int count(String... words) {
    List<String> all = new ArrayList<>(List.of("list", "--json", "--limit", "1000"));
    all.addAll(List.of(words));
    return cli.run(all.toArray(String[]::new)).json().getAsJsonArray("events").size();
  }

  private static void assertOk(CliRun.Result result) {
    assertThat(result.exitCode()).as(result.toString()).isZero();
  }

  private static List<String> ids(CliRun.Result result) {
    JsonArray events = result.json().getAsJsonArray("events");
    return IntStream.range(0, events.size())
        .mapToObj(i -> events.get(i).getAsJsonObject().get("id").getAsString())
        .toList();
  }

  // ---- look

  @Test
  void statusTellsWhatIsThereAndWhatFails() {
    write(event("OrderPlaced"));
    writeDone("OrderPlaced");
    String dead = writeDead("MailWanted", "no such mailbox\nat line 7");
    inTransaction(conn -> store.markRetry(conn, write(event("X")), Instant.now(), "timeout"));

    CliRun.Result text = cli.run("status");
    JsonObject json = cli.run("status", "--json").json();

    assertOk(text);
    assertThat(text.out())
        .containsPattern("PENDING +2")
        .containsPattern("DONE +1")
        .containsPattern("DEAD +1")
        .containsPattern("RETRY 1")
        .containsPattern("1 +" + dead + " +no such mailbox")
        .doesNotContain("\u001b");
    assertThat(json.getAsJsonObject("counts").getAsJsonObject("RETRY").get("value").getAsInt())
        .isEqualTo(1);
    assertThat(
            json.getAsJsonObject("states").getAsJsonObject("DEAD").get("precision").getAsString())
        .isEqualTo("EXACT");
    assertThat(json.get("lagSeconds").getAsDouble()).isNotNegative();
    assertThat(json.getAsJsonArray("errors")).hasSize(2);
  }

  @Test
  void statusSaysThatADelayedEventIsNotLate() {
    assertThat(cli.run("status").out()).containsPattern("lag +none +\\(nothing waits\\)");

    write(event("Later").availableAt(Instant.now().plus(Duration.ofDays(400))));

    assertThat(cli.run("status").out())
        .containsPattern("lag +none +\\(nothing is due; the next event is due 20\\d\\d-");
  }

  @Test
  void statusLooksAgainAndAgain() {
    CliRun.Result lines = cli.run("status", "--watch", "100ms", "--times", "3", "--json");
    CliRun.Result screen =
        CliRun.on(database)
            .at(FakeTerminal.screen(80))
            .run("status", "--watch", "100ms", "--times", "2");

    assertOk(lines);
    assertThat(lines.out().lines()).hasSize(3).allMatch(line -> line.startsWith("{"));
    assertOk(screen);
    assertThat(screen.out().split("\u001b\\[H\u001b\\[J", -1)).hasSize(3);
    assertThat(cli.run("status", "--watch", "1ms").exitCode()).isEqualTo(ExitCode.USAGE);
  }

  @Test
  void listFindsByEveryFilter() {
    String wanted =
        write(
            event("OrderPlaced")
                .aggregateType("Order")
                .aggregateId("A-17")
                .tenantId("acme")
                .orderingKey("key-17")
                .occurredAt(Instant.parse("2026-01-15T00:00:00Z")));
    inTransaction(
        conn -> store.markRetry(conn, wanted, Instant.now(), "Connection REFUSED by peer"));
    writeDone("Other");
    for (String filter :
        List.of(
            "--status RETRY",
            "--status retry,DEAD",
            "--type OrderPlaced",
            "--aggregate-type Order",
            "--aggregate-id A-17",
            "--tenant acme",
            "--key key-17",
            "--id-prefix " + wanted.substring(0, 20),
            "--min-attempts 1",
            "--error refused",
            "--until 2026-02-01",
            "--from 2026-01-15T00:00:00Z --until 2026-01-15T00:00:01Z",
            "--state PENDING",
            "--no-leased --type OrderPlaced")) {
      CliRun.Result result = cli.run(("list --json " + filter).split(" "));
      assertThat(ids(result)).as(filter + "\n" + result).containsExactly(wanted);
    }
    for (String filter : List.of("--leased", "--stuck", "--type Nothing", "--from 1m --type X")) {
      CliRun.Result result = cli.run(("list " + filter).split(" "));
      assertThat(result.exitCode()).as(filter).isEqualTo(ExitCode.NOTHING_MATCHED);
      assertThat(result.out()).isEmpty();
      assertThat(result.err()).contains("No event matches");
    }
  }

  @Test
  void listGoesOnWhereThePageEnded() {
    writeMany("Paged", 25);

    CliRun.Result first = cli.run("list", "--limit", "10", "--json");
    List<String> seen = new ArrayList<>(ids(first));
    String next = first.json().get("next").getAsString();
    while (next != null) {
      CliRun.Result page = cli.run("list", "--limit", "10", "--json", "--after", next);
      seen.addAll(ids(page));
      next = page.json().get("next").isJsonNull() ? null : page.json().get("next").getAsString();
    }

    assertThat(seen).hasSize(25).doesNotHaveDuplicates();
    assertThat(cli.run("list", "--limit", "10").err()).contains("--after ");
    assertThat(cli.run("list", "--after", "nonsense").exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(cli.run("list", "--limit", "1001").exitCode()).isEqualTo(ExitCode.USAGE);
  }

  @Test
  void nothingFromAnEventSteersTheTerminal() {
    String id =
        write(
            EventEnvelope.builder("Type\u001b[31m")
                .aggregateId("id\u009b1m")
                .payloadJson("{\"a\":\"\u009b31m\u202e\"}")
                .header("h", "\u009b5m"));
    inTransaction(conn -> store.markDead(conn, id, HOSTILE));

    for (String command : List.of("status", "list", "show " + id, "replay --dry-run --all")) {
      for (FakeTerminal terminal : List.of(FakeTerminal.pipe(), FakeTerminal.screen(100))) {
        CliRun.Result result =
            CliRun.on(database).at(terminal).with("NO_COLOR", "1").run(command.split(" "));
        assertOk(result);
        assertThat(result.out() + result.err())
            .as(command)
            .doesNotContain("\u001b")
            .doesNotContain("\u009b")
            .doesNotContain("\u202e")
            .doesNotContain("\r");
      }
    }
    String json = cli.run("show", id, "--json").out();
    assertThat(json).doesNotContain("\u009b").doesNotContain("\u001b").contains("\\u009b");
    assertThat(cli.run("show", id, "--json").json().get("error").getAsString()).isEqualTo(HOSTILE);
  }

  @Test
  void colorsAreForAScreenThatWantsThem() {
    writeDead("X", "boom");

    assertThat(CliRun.on(database).at(FakeTerminal.screen(100)).run("list").out())
        .contains("\u001b[31mDEAD");
    assertThat(
            CliRun.on(database)
                .at(FakeTerminal.screen(100))
                .with("NO_COLOR", "1")
                .run("list")
                .out())
        .doesNotContain("\u001b");
    assertThat(cli.run("list").out()).doesNotContain("\u001b");
  }

  @Test
  void showTellsEverythingAboutAnEvent() {
    write(event("First").orderingKey("k"));
    String id = write(event("Second").orderingKey("k").tenantId("acme").header("trace", "abc"));
    write(event("Third").orderingKey("k"));
    inTransaction(conn -> store.markDead(conn, id, "one\ntwo"));

    CliRun.Result text = cli.run("show", id);
    JsonObject json = cli.run("show", id, "--json").json();

    assertOk(text);
    assertThat(text.out())
        .containsPattern("id +" + id)
        .containsPattern("status +DEAD")
        .containsPattern("tenant +acme")
        .contains("\"trace\": \"abc\"")
        .contains("Error\none\ntwo")
        .contains("Payload\n{\n  \"b\": 1,")
        .contains("First")
        .contains("Third")
        .doesNotContain("__GLOBAL__");
    assertThat(json.get("payload").getAsString()).isEqualTo("{\"b\":1,\"a\":[2]}");
    assertThat(json.getAsJsonArray("neighbors")).hasSize(2);
    assertThat(cli.run("show", "nobody").exitCode()).isEqualTo(ExitCode.NOTHING_MATCHED);
  }

  @Test
  void showGivesThePayloadAsItIs() {
    String text = "{ \"z\": 1,  \"a\": \"\\u009b \u00e9\" }";
    String json = write(EventEnvelope.builder("J").payloadJson(text));
    byte[] binary = {0, 27, -101, 10, 13, -1};
    String bytes = write(EventEnvelope.builder("B").payloadBytes(binary, "application/x"));

    assertThat(cli.run("show", json, "--raw").bytes())
        .isEqualTo(text.getBytes(StandardCharsets.UTF_8));
    assertThat(cli.run("show", bytes, "--raw").bytes()).isEqualTo(binary);
    assertThat(cli.run("show", bytes).out()).contains("6 bytes").contains("00 1b 9b 0a 0d ff");
  }

  // ---- act

  @Test
  void replayGivesEventsANewLife() {
    String first = writeDead("X", "boom");
    String second = writeDone("X");

    CliRun.Result result = cli.run("replay", first, second, "--as", "anna", "--json");

    assertOk(result);
    assertThat(result.json().get("changed").getAsInt()).isEqualTo(2);
    assertThat(status(first)).isEqualTo(EventStatus.NEW);
    assertThat(status(second)).isEqualTo(EventStatus.NEW);
    CliRun.Result again = cli.run("replay", first, "nobody");
    assertThat(again.exitCode()).isEqualTo(ExitCode.NOTHING_MATCHED);
    assertThat(again.err()).contains("2 of 2").contains("DEAD, DONE");
    assertThat(cli.run("audit").out()).containsPattern("anna +replay +2 +id=");
  }

  @Test
  void aBulkActionIsShownFirstAndConfirmed() {
    IntStream.range(0, 12).forEach(i -> writeDead("X", "timeout"));
    String other = writeDead("Y", "other");
    writeDone("X");

    CliRun.Result dry = cli.run("replay", "--error", "timeout", "--dry-run");
    assertOk(dry);
    assertThat(dry.out()).contains("replay would change 12 events");
    assertThat(dry.out().lines().filter(line -> line.contains("DEAD"))).hasSize(10);

    CliRun.Result nobody = cli.run("replay", "--error", "timeout");
    assertThat(nobody.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(nobody.err()).contains("--yes");

    FakeTerminal no = FakeTerminal.screen(100, "");
    CliRun.Result refused = CliRun.on(database).at(no).run("replay", "--error", "timeout");
    assertThat(refused.exitCode()).isEqualTo(ExitCode.FAILED);
    assertThat(no.questions).containsExactly("replay 12 events? [y/N] ");
    assertThat(count("--status", "DEAD")).isEqualTo(13);

    CliRun.Result done =
        CliRun.on(database).at(FakeTerminal.screen(100, "y")).run("replay", "--error", "timeout");
    assertOk(done);
    assertThat(done.out()).contains("replay: 12 events changed");
    assertThat(count("--status", "DEAD")).isEqualTo(1);
    assertThat(status(other)).isEqualTo(EventStatus.DEAD);
    assertThat(count("--status", "DONE")).as("not meant unless named").isEqualTo(1);
  }

  @Test
  void aDryRunKeepsToTheLimitAndSaysHowExactItIs() {
    IntStream.range(0, 12).forEach(i -> writeDead("X", "timeout"));
    String[] words = {"replay", "--all", "--dry-run", "--json", "--limit"};

    JsonObject some = cli.run(with(words, "3")).json();
    assertThat(some.get("wouldChange").getAsLong()).isEqualTo(3);
    assertThat(some.get("precision").getAsString()).isEqualTo("EXACT");
    assertThat(some.getAsJsonArray("sample")).hasSize(3);
    assertThat(cli.run(with(words, "20")).json().get("wouldChange").getAsLong()).isEqualTo(12);

    FakeTerminal no = FakeTerminal.screen(100, "");
    CliRun.on(database).at(no).run("replay", "--all", "--limit", "3");
    assertThat(no.questions).containsExactly("replay 3 events? [y/N] ");
  }

  private static String[] with(String[] words, String last) {
    return Stream.concat(Stream.of(words), Stream.of(last)).toArray(String[]::new);
  }

  @Test
  void aBulkActionNeedsAFilterOrAll() {
    writeDead("X", "boom");

    for (String words :
        List.of(
            "replay --yes",
            "purge --yes",
            "release --yes",
            "kill --reason r --yes",
            "replay --all --type X --yes",
            "replay some-id --type X")) {
      CliRun.Result result = cli.run(words.split(" "));
      assertThat(result.exitCode()).as(words + result).isEqualTo(ExitCode.USAGE);
    }
    assertOk(cli.run("replay", "--all", "--yes"));
    assertThat(count("--status", "NEW")).isEqualTo(1);
    CliRun.Result nothing = cli.run("replay", "--all", "--yes");
    assertThat(nothing.exitCode()).isEqualTo(ExitCode.NOTHING_MATCHED);
  }

  /** As with a variable of a shell that is not set. */
  @Test
  void aConditionThatIsEmptyHitsNothing() {
    for (String option : List.of("--type", "--tenant", "--key", "--id-prefix", "--error")) {
      CliRun.Result result =
          cli.run("kill", "--status", "NEW", option, "", "--reason", "r", "--yes");

      assertThat(result.exitCode()).as(option + result).isEqualTo(ExitCode.USAGE);
      assertThat(result.err()).contains("it is empty");
    }
  }

  @Test
  void aBulkActionGoesOnInBatchesUpToItsLimit() {
    writeMany("Many", 1300);

    CliRun.Result some =
        cli.run("kill", "--type", "Many", "--reason", "why not", "--limit", "700", "--yes");
    assertOk(some);
    assertThat(some.out()).contains("kill: 700 events changed, not all that match");
    CliRun.Result rest =
        cli.run("kill", "--type", "Many", "--reason", "why not", "--yes", "--json");
    assertThat(rest.json().get("changed").getAsInt()).isEqualTo(600);
    assertThat(rest.json().get("finished").getAsBoolean()).isTrue();
    assertThat(cli.run("list", "--limit", "1").out()).contains("why not");
  }

  @Test
  void purgeDeletesWhatIsDoneAndTheDeadOnlyIfNamed() {
    String done = writeDone("X");
    String dead = writeDead("X", "boom");
    String pending = write(event("X"));

    assertOk(cli.run("purge", "--all", "--yes"));
    assertThat(cli.run("show", done).exitCode()).isEqualTo(ExitCode.NOTHING_MATCHED);
    assertThat(status(dead)).isEqualTo(EventStatus.DEAD);
    assertOk(cli.run("purge", "--status", "DEAD", "--yes"));
    assertThat(cli.run("show", dead).exitCode()).isEqualTo(ExitCode.NOTHING_MATCHED);
    assertThat(cli.run("purge", pending).exitCode()).isEqualTo(ExitCode.NOTHING_MATCHED);
    assertThat(status(pending)).isEqualTo(EventStatus.NEW);
  }

  @Test
  void rescheduleMovesAnEventInTime() {
    String id = write(event("X"));

    assertOk(cli.run("reschedule", id, "--in", "2h"));
    String later = cli.run("show", id, "--json").json().get("availableAt").getAsString();
    assertThat(Instant.parse(later)).isAfter(Instant.now().plus(Duration.ofMinutes(110)));
    assertOk(cli.run("reschedule", id, "--at", "2026-01-01T00:00:00Z"));
    assertThat(cli.run("show", id, "--json").json().get("availableAt").getAsString())
        .isEqualTo("2026-01-01T00:00:00Z");
    assertThat(cli.run("reschedule", id).exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(cli.run("reschedule", id, "--at", "now", "--in", "1h").exitCode())
        .isEqualTo(ExitCode.USAGE);
  }

  @Test
  void releaseTakesStuckLeases() {
    write(event("X"));
    Instant hourAgo = Instant.now().minus(Duration.ofHours(1));
    inTransaction(
        conn ->
            store.claimPending(
                conn, "node-gone", hourAgo.plusSeconds(7200), hourAgo, Duration.ZERO, 10));
    inTransaction(
        conn -> {
          try (Statement statement = conn.createStatement()) {
            return statement.executeUpdate(
                "UPDATE outbox_event SET locked_at = '2026-01-01 00:00:00'");
          }
        });

    assertThat(cli.run("list", "--stuck").out()).containsPattern("LEASED +NEW ");
    assertThat(cli.run("status").out()).containsPattern("stuck leases +1");
    assertOk(cli.run("release", "--stuck", "--yes"));
    assertThat(cli.run("list", "--leased").exitCode()).isEqualTo(ExitCode.NOTHING_MATCHED);
  }

  @Test
  void pauseAndResume() {
    assertOk(cli.run("pause", "--type", "Mail", "--reason", "mail server", "--as", "anna"));
    assertOk(cli.run("pause", "--aggregate-type", "Order"));
    assertThat(cli.run("pause", "--type", "Mail").out()).contains("already");
    assertThat(cli.run("status").out())
        .contains("Delivery is paused")
        .containsPattern("\\*/Mail +\\S+ \\S+ +anna +mail server");
    assertThat(cli.run("pause").exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(cli.run("pause", "--all", "--type", "X").exitCode()).isEqualTo(ExitCode.USAGE);

    CliRun.Result resumed = cli.run("resume", "--type", "Mail");
    assertOk(resumed);
    assertThat(resumed.out()).contains("Still paused").contains("Order");
    assertThat(cli.run("resume", "--type", "Mail").exitCode()).isEqualTo(ExitCode.NOTHING_MATCHED);
    assertThat(cli.run("resume", "--all", "--json").json().get("changed").getAsInt()).isEqualTo(1);
    assertThat(cli.run("audit").out()).contains("pause").contains("resume").contains("*/Mail");
  }

  @Test
  void subscriptionsAreListedEndedResumedAndGivenOlderEvents() {
    assertThat(cli.run("subscriptions", "list").exitCode()).isEqualTo(ExitCode.NOTHING_MATCHED);
    inTransaction(
        conn ->
            store
                .subscriptions()
                .orElseThrow()
                .add(conn, new EventRoute("Order", "Placed"), "mail", Instant.now()));
    String id = write(event("Placed").aggregateType("Order"));
    inTransaction(conn -> store.markDone(conn, id));
    write(event("Placed").aggregateType("Order@@mail"));
    write(event("Placed").aggregateType("@@mail"));
    assertOk(cli.run("list", "--aggregate-type", "@@mail"));

    CliRun.Result list = cli.run("subscriptions", "list");
    assertOk(list);
    assertThat(list.out())
        .containsPattern("EVENTS +SUBSCRIPTION +COPIES +WAITING +DEAD +LAG")
        .containsPattern("Order/Placed +mail +Order@@mail +1 +0 ");
    String[] which = {"mail", "--type", "Placed", "--aggregate-type", "Order"};
    CliRun.Result delivered =
        cli.run(words(List.of("subscriptions", "deliver", "--from", "1d"), which));
    assertThat(delivered.out()).contains("deliver: 1 copies for mail");
    CliRun.Result ended = cli.run(words(List.of("subscriptions", "end"), which));
    assertOk(ended);
    assertThat(ended.out()).contains("mail is ended, 2 pending copies became DEAD");
    assertThat(cli.run("subscriptions", "list", "--json").json().toString())
        .doesNotContain("\"until\":null");
    assertOk(cli.run(words(List.of("subscriptions", "resume"), which)));
    assertThat(cli.run(words(List.of("subscriptions", "resume"), which)).exitCode())
        .isEqualTo(ExitCode.NOTHING_MATCHED);
    which[0] = "unknown";
    CliRun.Result unknown = cli.run(words(List.of("subscriptions", "end"), which));
    assertThat(unknown.exitCode()).isNotZero();
    assertThat(unknown.err()).contains("there is no subscription 'unknown' of Order/Placed");
  }

  private static String[] words(List<String> first, String... more) {
    return Stream.concat(first.stream(), Stream.of(more)).toArray(String[]::new);
  }

  @Test
  void tenantsAndDestinationsArePausedAndResumed() {
    assertThat(cli.run("pause", "--tenant", "acme").err()).contains("createHolds");
    assertOk(cli.run("schema", "create"));
    assertOk(cli.run("pause", "--tenant", "acme", "--reason", "billing"));
    assertOk(cli.run("pause", "--destination", "topic orders"));
    assertThat(cli.run("pause", "--tenant", "acme", "--type", "X").exitCode())
        .isEqualTo(ExitCode.USAGE);
    assertThat(cli.run("status").out()).contains("tenant acme", "destination topic orders");
    assertThat(cli.run("doctor").out()).contains("resume --destination 'topic orders'");

    assertOk(cli.run("resume", "--tenant", "acme"));
    assertThat(cli.run("resume", "--tenant", "acme").exitCode())
        .isEqualTo(ExitCode.NOTHING_MATCHED);
    assertThat(cli.run("resume", "--all", "--json").json().get("changed").getAsInt()).isEqualTo(1);
  }

  @Test
  void skipLetsAKeyGoOn() {
    OutboxSchema.createOrderedByKey(dataSource);
    String id = write(event("X").orderingKey("k"));
    inTransaction(
        conn -> {
          try (Statement statement = conn.createStatement()) {
            return statement.executeUpdate(
                "INSERT INTO outbox_event_block (key_name, lane, event_id, blocked_at, reason)"
                    + " VALUES ('k', 1, '"
                    + id
                    + "', '2026-01-01 00:00:00', 'boom')");
          }
        });

    assertThat(cli.run("blocked").out()).containsPattern("k +" + id + " +2026-01-01 .*boom");
    assertThat(cli.run("blocked", "--json").json().getAsJsonArray("keys")).hasSize(1);
    assertOk(cli.run("skip", id, "--reason", "not needed"));
    assertThat(cli.run("blocked").exitCode()).isEqualTo(ExitCode.NOTHING_MATCHED);
    assertThat(status(id)).isEqualTo(EventStatus.DEAD);
    assertThat(cli.run("skip", id, "--reason", "again").exitCode())
        .isEqualTo(ExitCode.NOTHING_MATCHED);
  }

  @Test
  void withoutTheOutboxTableEveryCommandSaysWhatToDo() {
    cli.with("OUTBOX_TABLE", "not_there");

    for (String command :
        List.of(
            "status",
            "list",
            "show x",
            "blocked",
            "audit",
            "replay --all --dry-run",
            "kill x --reason y",
            "purge --all --yes",
            "pause --all",
            "resume --all",
            "skip x --reason y",
            "console --port 0")) {
      CliRun.Result result = cli.run(command.split(" "));

      assertThat(result.exitCode()).as(command).isEqualTo(ExitCode.FAILED);
      assertThat(result.out()).as(command).isEmpty();
      assertThat(result.err())
          .as(command)
          .startsWith("outbox: there is no table not_there in jdbc:")
          .contains("--table", "outbox schema create");
    }
  }

  @Test
  void anEventAloneWithItsKeySaysHowToLookFurther() {
    String alone = write(event("X").aggregateType("Order").aggregateId("17"));
    String keyed = write(event("X").orderingKey("Ann's order"));
    String keyless = write(event("X"));

    assertThat(cli.run("show", alone).err()).endsWith(": outbox list --aggregate-id 17\n");
    assertThat(cli.run("show", keyed).err()).endsWith(": outbox list --key 'Ann'\\''s order'\n");
    assertThat(cli.run("show", keyless).err()).isEmpty();
  }

  @Test
  void withoutTheOperatorsTablesItSaysWhatToDo() throws SQLException {
    try (Connection conn = dataSource.getConnection();
        Statement statement = conn.createStatement()) {
      statement.execute("DROP TABLE outbox_event_pause");
      statement.execute("DROP TABLE outbox_event_audit");
    }
    String id = writeDead("X", "boom");

    assertOk(cli.run("status"));
    assertOk(cli.run("list"));
    CliRun.Result result = cli.run("replay", id);
    assertThat(result.exitCode()).isEqualTo(ExitCode.FAILED);
    assertThat(result.err()).contains("schema create");
    assertThat(cli.run("schema", "validate", "--operator").exitCode())
        .isEqualTo(ExitCode.PROBLEMS_FOUND);
    assertOk(cli.run("schema", "create"));
    assertOk(cli.run("schema", "validate", "--operator"));
    assertOk(cli.run("replay", id));
  }

  // ---- schema

  @Test
  void schemaIsCreatedCheckedAndMigrated() throws SQLException {
    cli.with("OUTBOX_TABLE", "shop_outbox");
    CliRun.Result missing = cli.run("schema", "validate");
    assertThat(missing.exitCode()).isEqualTo(ExitCode.PROBLEMS_FOUND);
    assertThat(missing.err()).isEqualTo("To do: outbox schema create\n");
    assertOk(cli.run("schema", "create"));
    CliRun.Result additions =
        cli.run("schema", "validate", "--operator", "--ordered-by-key", "--operator-indexes");
    assertThat(additions.out()).contains("shop_outbox_lane is missing", "shop_outbox_op_aggregate");
    assertThat(additions.err())
        .isEqualTo("To do: outbox schema create --ordered-by-key --operator-indexes\n");
    assertOk(cli.run("schema", "create", "--ordered-by-key", "--operator-indexes"));
    String[] everything = {
      "schema", "validate", "--operator", "--ordered-by-key", "--operator-indexes"
    };
    assertOk(cli.run(everything));
    try (Connection conn = dataSource.getConnection();
        Statement statement = conn.createStatement()) {
      statement.execute("ALTER TABLE shop_outbox DROP COLUMN content_type");
    }
    CliRun.Result invalid = cli.run("schema", "validate", "--json");
    assertThat(invalid.exitCode()).isEqualTo(ExitCode.PROBLEMS_FOUND);
    assertThat(invalid.json().get("problems").toString()).contains("content_type");
    assertThat(cli.run("schema", "migrate").exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(cli.run("schema", "migrate", "--dry-run").out()).contains("content_type");
    assertOk(cli.run("schema", "migrate", "--yes"));
    assertOk(cli.run(everything));
    try (Connection conn = dataSource.getConnection();
        Statement statement = conn.createStatement()) {
      statement.execute("DROP TABLE shop_outbox_hold");
      statement.execute("DROP TABLE shop_outbox_pause");
    }
    CliRun.Result tables = cli.run("schema", "migrate", "--yes");
    assertThat(tables.out())
        .contains("shop_outbox_hold is missing", "shop_outbox_pause is missing", "is migrated");
    assertThat(cli.run("schema", "migrate", "--yes").out()).contains("is as it should be");
  }

  @Test
  void theSchemaThatIsPrintedIsTheOneThatIsCreated() throws SQLException {
    CliRun.Result printed =
        cli.run("schema", "print", "--table", "printed", "--ordered-by-key", "--operator-indexes");
    assertOk(printed);

    try (Connection conn = dataSource.getConnection();
        Statement statement = conn.createStatement()) {
      String sql = printed.out().replaceAll("(?m)^\\s*--.*$", "");
      for (String part : sql.split(";\\s*\n")) {
        if (!part.isBlank()) {
          statement.execute(part);
        }
      }
    }
    assertOk(
        cli.run(
            "schema",
            "validate",
            "--table",
            "printed",
            "--operator",
            "--ordered-by-key",
            "--operator-indexes"));
  }

  @Test
  void aTableThatIsNoOutboxIsSaidInWordsForTheShell() throws SQLException {
    try (Connection conn = dataSource.getConnection();
        Statement statement = conn.createStatement()) {
      statement.execute("CREATE TABLE customer (id INT)");
    }

    CliRun.Result result = cli.run("status", "--table", "customer");

    assertThat(result.exitCode()).as(result.toString()).isEqualTo(ExitCode.FAILED);
    assertThat(result.err())
        .contains("--table", "outbox schema validate")
        .doesNotContain("OutboxSchema", "outbox-jdbc");
  }

  @Test
  void theListSaysWhenTheNextAttemptIsAndLeavesOutPackages() {
    String waiting = write(event("Waiting").availableAt(Instant.parse("2031-02-03T04:05:06Z")));
    writeDead("Dead", "org.example.shop.OrderException: gone\n\tat org.example.shop.Order");

    CliRun.Result result = cli.run("list");

    assertThat(result.out()).contains("NEXT ATTEMPT");
    assertThat(result.out().lines())
        .anyMatch(line -> line.contains(waiting) && line.contains("2031-02-03 04:05:06Z"))
        .anyMatch(line -> line.contains("OrderException: gone"))
        .noneMatch(line -> line.contains("org.example"));
  }

  @Test
  void theMostFrequentErrorsAreListedByTheirPattern() {
    for (int i = 0; i < 3; i++) {
      writeDead("Order", "org.example.shop.StockException: no stock for item " + i);
    }
    writeDead("Order", "org.example.shop.StockException: no stock for item 7 today");

    // as it is copied from there
    String pattern =
        cli.run("status")
            .out()
            .lines()
            .filter(line -> line.endsWith("no stock for item #"))
            .map(line -> line.replaceAll("^ *\\d+ +\\S+ +", ""))
            .findFirst()
            .orElseThrow();
    CliRun.Result list = cli.run("list", "--error-pattern", pattern, "--json");

    assertThat(list.out().split("no stock for item", -1)).hasSize(4);
    assertThat(list.out()).doesNotContain("today");
  }
}
