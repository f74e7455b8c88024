package io.outbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.outbox.EventEnvelope;
import io.outbox.cli.command.ExitCode;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Imports from any table, by a mapping file, on every database. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ImportContract {

  private static final String MAPPING =
      """
      table: letters
      key: no
      rows:
        pending: {column: sent, in: [false]}
        finished: {column: sent, in: [true]}
      where:
        - {column: kind, not-in: [draft]}
      event:
        type: {column: kind, names: {order: OrderPlaced}}
        aggregate-type: {constant: Order}
        aggregate-id: customer
        payload: body
        headers: extras
        occurred-at: written_at
        available-at: due_at
        finished-at: sent_at
      headers:
        letter-no: no
        origin: {constant: letters}
        missing: {column: nowhere, optional: true}
      """;

  private final Database database;
  private final DataSource dataSource;
  private CliRun cli;

  @TempDir private Path directory;
  private String mapping;

  ImportContract(TestDatabase kind) {
    database = kind.fresh();
    dataSource = database.dataSource();
  }

  @BeforeAll
  void createTables() {
    OutboxSchema.create(dataSource);
    String time = database.kind() == TestDatabase.MARIADB ? "DATETIME(6)" : "TIMESTAMP(6)";
    execute(
        """
        CREATE TABLE letters (
          no BIGINT PRIMARY KEY, kind VARCHAR(30) NOT NULL, customer VARCHAR(200),
          body VARCHAR(4000), extras VARCHAR(1000), sent BOOLEAN NOT NULL,
          written_at %1$s NOT NULL, due_at %1$s, sent_at %1$s)
        """
            .formatted(time));
    cli = CliRun.on(database);
  }

  @BeforeEach
  void empty() throws IOException {
    execute("DELETE FROM outbox_event");
    execute("DELETE FROM letters");
    mapping = file(MAPPING);
  }

  @AfterAll
  void drop() {
    database.close();
  }

  private String file(String text) throws IOException {
    return Files.writeString(directory.resolve("mapping.yaml"), text).toString();
  }

  private void execute(String sql) {
    try (Connection conn = dataSource.getConnection();
        Statement statement = conn.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }

  private void letters(int first, int count, boolean sent) {
    try (Connection conn = dataSource.getConnection();
        PreparedStatement statement =
            conn.prepareStatement(
                "INSERT INTO letters VALUES (?, 'order', ?, ?, '{\"lang\":\"de\",\"n\":1}', ?,"
                    + " '2026-01-02 03:04:05.678901', NULL, "
                    + (sent ? "'2026-01-02 04:00:00'" : "NULL")
                    + ")")) {
      conn.setAutoCommit(false);
      for (int no = first; no < first + count; no++) {
        statement.setLong(1, no);
        statement.setString(2, "c-" + no);
        statement.setString(3, "{\"b\": %d,  \"a\":[2]}".formatted(no));
        statement.setBoolean(4, sent);
        statement.addBatch();
      }
      statement.executeBatch();
      conn.commit();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private long count(String table) {
    try (Connection conn = dataSource.getConnection();
        Statement statement = conn.createStatement();
        ResultSet row = statement.executeQuery("SELECT count(*) FROM " + table)) {
      row.next();
      return row.getLong(1);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private CliRun.Result run(String... words) {
    return cli.run(with(new String[] {"import", "--from", mapping}, words));
  }

  private JsonObject onlyEvent() {
    JsonObject list = cli.run("list", "--json").json();
    assertThat(list.getAsJsonArray("events")).hasSize(1);
    String id = list.getAsJsonArray("events").get(0).getAsJsonObject().get("id").getAsString();
    return cli.run("show", id, "--json").json();
  }

  @Test
  void aRowBecomesAnEvent() {
    letters(17, 1, false);

    CliRun.Result result = run("--copy");

    assertThat(result.exitCode()).as(result.toString()).isEqualTo(ExitCode.OK);
    assertThat(result.out())
        .contains("letters: 1 row, 1 imported, 0 already there, 0 refused")
        .contains("Now in letters: 1 pending");
    JsonObject event = onlyEvent();
    assertThat(event.get("type").getAsString()).isEqualTo("OrderPlaced");
    assertThat(event.get("status").getAsString()).isEqualTo("NEW");
    assertThat(event.get("aggregateType").getAsString()).isEqualTo("Order");
    assertThat(event.get("aggregateId").getAsString()).isEqualTo("c-17");
    assertThat(event.get("createdAt").getAsString()).isEqualTo("2026-01-02T03:04:05.678901Z");
    assertThat(event.get("headers").getAsString())
        .contains("\"lang\":\"de\"")
        .contains("\"n\":\"1\"")
        .contains("\"letter-no\":\"17\"")
        .contains("\"origin\":\"letters\"");
    String id = event.get("id").getAsString();
    assertThat(cli.run("show", id, "--raw").out().strip()).isEqualTo("{\"b\": 17,  \"a\":[2]}");
  }

  @Test
  void aRepeatedCopyDoublesNothing() {
    letters(1, 7, false);
    run("--copy", "--batch", "3");

    CliRun.Result again = run("--copy", "--json");

    assertThat(again.json().get("imported").getAsLong()).isZero();
    assertThat(again.json().get("alreadyThere").getAsLong()).isEqualTo(7);
    assertThat(count("outbox_event")).isEqualTo(7);
    assertThat(count("letters")).isEqualTo(7);
  }

  @Test
  void takenRowsLeaveTheirTable() {
    letters(1, 25, false);
    letters(100, 5, true);

    CliRun.Result result = run("--take", "--batch", "10", "--json");

    assertThat(result.exitCode()).as(result.toString()).isEqualTo(ExitCode.OK);
    assertThat(result.json().get("imported").getAsLong()).isEqualTo(25);
    assertThat(result.json().get("taken").getAsLong()).isEqualTo(25);
    assertThat(count("outbox_event")).isEqualTo(25);
    assertThat(count("letters")).isEqualTo(5);
    assertThat(run("--take").exitCode()).isEqualTo(ExitCode.NOTHING_MATCHED);
  }

  @Test
  void takenRowsAreMarkedIfTheMappingSaysSo() throws IOException {
    letters(1, 3, false);
    mapping = file(MAPPING + "take: {set: {sent: true, sent_at: now}}\n");

    assertThat(run("--take").exitCode()).isEqualTo(ExitCode.OK);

    assertThat(count("letters WHERE sent_at IS NOT NULL")).isEqualTo(3);
    assertThat(run("--take").exitCode()).isEqualTo(ExitCode.NOTHING_MATCHED);
    assertThat(run("--verify", "--rows", "finished").exitCode()).isEqualTo(ExitCode.OK);
  }

  @Test
  @Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aMappingThatLeavesTakenRowsPendingIsRefused() throws IOException {
    letters(1, 3, false);
    mapping = file(MAPPING + "take: {set: {sent_at: now}}\n");

    CliRun.Result result = run("--take");

    assertThat(result.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(result.err()).contains("'take' leaves rows of letters pending");
    assertThat(count("outbox_event")).isZero();
    assertThat(count("letters WHERE sent_at IS NULL")).isEqualTo(3);
  }

  @Test
  void equalKeysOfTwoTablesAreTwoEvents() {
    execute("CREATE TABLE letters_2 AS SELECT * FROM letters WHERE 1 = 0");
    try {
      letters(1, 3, false);
      execute("INSERT INTO letters_2 SELECT * FROM letters");

      assertThat(run("--take").exitCode()).isEqualTo(ExitCode.OK);
      assertThat(run("--take", "--source-table", "letters_2").exitCode()).isEqualTo(ExitCode.OK);

      assertThat(count("outbox_event")).isEqualTo(6);
    } finally {
      execute("DROP TABLE letters_2");
    }
  }

  @Test
  void rowsThatOthersHaveLockedAreSaid() throws SQLException {
    letters(1, 3, false);
    try (Connection other = dataSource.getConnection();
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute("SELECT * FROM letters WHERE no = 2 FOR UPDATE");

      CliRun.Result result = run("--take");
      CliRun.Result limited = run("--take", "--limit", "1");
      other.rollback();

      assertThat(result.exitCode()).as(result.toString()).isEqualTo(ExitCode.PROBLEMS_FOUND);
      assertThat(result.out()).contains("2 taken").contains("Now in letters: 1 pending");
      assertThat(result.err()).contains("others have them locked").contains("Run it again");
      assertThat(limited.exitCode()).isEqualTo(ExitCode.PROBLEMS_FOUND);
    }
    assertThat(run("--take").exitCode()).isEqualTo(ExitCode.OK);
  }

  @Test
  void binaryColumnsAreTextOrUuidsOrRefused() throws IOException {
    String binary =
        switch (database.kind()) {
          case POSTGRES -> "BYTEA";
          default -> "VARBINARY(200)";
        };
    String hex = database.kind() == TestDatabase.POSTGRES ? "'\\x%s'" : "X'%s'";
    execute(
        "CREATE TABLE parcels (no BIGINT PRIMARY KEY, customer %1$s, body %1$s)".formatted(binary));
    try {
      String uuid = hex.formatted("0123456789ab4def8123456789abcdef");
      String ascii = hex.formatted("6f726465722d31323334353637383930");
      String json = hex.formatted("7b2261223a22c3bc227d");
      String latin = hex.formatted("7b2261223a22fc227d");
      execute("INSERT INTO parcels VALUES (1, %s, %s)".formatted(uuid, json));
      execute("INSERT INTO parcels VALUES (2, %s, %s)".formatted(ascii, json));
      execute("INSERT INTO parcels VALUES (3, %s, %s)".formatted(ascii, latin));
      mapping =
          file(
              """
              table: parcels
              key: no
              rows: {pending: all}
              event: {type: {constant: Parcel}, aggregate-id: customer, payload: body}
              """);

      CliRun.Result result = run("--take");

      assertThat(result.exitCode()).as(result.toString()).isEqualTo(ExitCode.PROBLEMS_FOUND);
      assertThat(result.err()).contains("refused: row 3: ").contains("is not UTF-8");
      assertThat(count("parcels")).isEqualTo(1);
      assertThat(count("outbox_event WHERE aggregate_id = 'order-1234567890'")).isEqualTo(1);
      assertThat(count("outbox_event WHERE aggregate_id = '01234567-89ab-4def-8123-456789abcdef'"))
          .isEqualTo(1);
    } finally {
      execute("DROP TABLE parcels");
    }
  }

  @Test
  void aLargeObjectIsNotImportedAsItsNumber() throws IOException {
    Assumptions.assumeTrue(database.kind() == TestDatabase.POSTGRES);
    execute("CREATE TABLE blobs (no BIGINT PRIMARY KEY, body oid)");
    execute("INSERT INTO blobs VALUES (1, 4711)");
    mapping =
        file(
            """
            table: blobs
            key: no
            rows: {pending: all}
            event: {type: {constant: Blob}, payload: body}
            """);

    CliRun.Result result = run("--take");

    assertThat(result.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(result.err()).contains("large object").contains("lo_get(body)");
    assertThat(count("blobs")).isEqualTo(1);
  }

  @Test
  void aTimestampOfMariaDbIsAMomentWhateverTheZones() throws IOException {
    Assumptions.assumeTrue(database.kind() == TestDatabase.MARIADB);
    String url = database.jdbcUrl();
    String west = url + (url.contains("?") ? "&" : "?") + "sessionVariables=time_zone='-05:00'";
    execute("CREATE TABLE moments (no BIGINT PRIMARY KEY, at TIMESTAMP(6) NOT NULL)");
    execute("SET time_zone = '+00:00'");
    execute("INSERT INTO moments VALUES (1, FROM_UNIXTIME(1767337200))"); // 07:00 in UTC
    mapping =
        file(
            """
            table: moments
            key: no
            time-zone: Europe/Berlin
            rows: {pending: all}
            where: [{column: at, after: "2026-01-02 05:00:00"}]
            event: {type: {constant: Moment}, payload: {constant: "{}"}, occurred-at: at}
            """);

    CliRun.Result result = run("--take", "--url", west);

    assertThat(result.exitCode()).as(result.toString()).isEqualTo(ExitCode.OK);
    assertThat(onlyEvent().get("createdAt").getAsString()).isEqualTo("2026-01-02T07:00:00Z");
  }

  @Test
  void theStatusOfAnEventTellsWhetherItIsItsRows() {
    letters(1, 1, false);
    run("--copy");
    execute("UPDATE letters SET sent = TRUE");

    assertThat(run("--verify", "--rows", "finished").err()).contains("another status");
    assertThat(run("--copy", "--rows", "finished").exitCode()).isEqualTo(ExitCode.PROBLEMS_FOUND);

    execute("UPDATE outbox_event SET status = 3, last_error = 'no'");
    execute("UPDATE letters SET sent = FALSE");
    CliRun.Result dead = run("--take");
    assertThat(dead.exitCode()).as(dead.toString()).isEqualTo(ExitCode.PROBLEMS_FOUND);
    assertThat(dead.err()).contains("is DEAD here: outbox replay");
    assertThat(count("letters")).isEqualTo(1);
  }

  @Test
  void anotherContentTypeIsADifference() throws IOException {
    letters(1, 1, false);
    String plain = MAPPING.replace("event:\n", "event:\n  content-type: {constant: text/plain}\n");
    mapping = file(plain);
    run("--copy");

    mapping = file(plain.replace("text/plain", "text/html"));

    assertThat(run("--verify").err()).contains("another content type");
  }

  @Test
  void aRowWithoutATimeIsEqualToItsEvent() throws IOException {
    letters(1, 1, false);
    mapping =
        file(
            MAPPING
                .replace("key: no\n", "key: no\norder-by: no\n")
                .replace("occurred-at: written_at", "occurred-at: sent_at"));
    run("--copy");

    CliRun.Result again = run("--take");

    assertThat(again.exitCode()).as(again.toString()).isEqualTo(ExitCode.OK);
    assertThat(again.out()).contains("1 already there").contains("1 taken");
  }

  @Test
  void aDryRunChangesNothingAndShowsEvents() {
    letters(1, 3, false);
    execute("UPDATE letters SET body = 'no JSON' WHERE no = 2");

    CliRun.Result result = run("--dry-run");

    assertThat(result.exitCode()).isEqualTo(ExitCode.PROBLEMS_FOUND);
    assertThat(result.out())
        .contains("letters: 3 rows, 2 would be imported, 0 already there, 1 refused")
        .contains("OrderPlaced")
        .contains("Order/c-3");
    assertThat(result.err()).contains("refused: row 2: ").contains("JSON");
    assertThat(count("outbox_event")).isZero();
    assertThat(count("letters")).isEqualTo(3);
  }

  @Test
  void refusedRowsStayWhereTheyAre() {
    letters(1, 3, false);
    execute("UPDATE letters SET body = NULL WHERE no = 1");
    execute("UPDATE letters SET customer = '%s' WHERE no = 2".formatted("x".repeat(129)));

    CliRun.Result result = run("--take", "--json");

    assertThat(result.exitCode()).isEqualTo(ExitCode.PROBLEMS_FOUND);
    assertThat(result.json().get("imported").getAsLong()).isEqualTo(1);
    assertThat(result.json().get("refused").getAsLong()).isEqualTo(2);
    assertThat(result.json().get("problems").toString())
        .contains("the payload is NULL")
        .contains("aggregateId");
    assertThat(count("letters")).isEqualTo(2);
  }

  @Test
  void anotherEventWithTheSameIdIsNotTakenForTheRow() {
    letters(1, 1, false);
    run("--copy");
    execute("UPDATE letters SET body = '{}'");

    CliRun.Result result = run("--take");

    assertThat(result.exitCode()).isEqualTo(ExitCode.PROBLEMS_FOUND);
    assertThat(result.err()).contains("is there already, with another payload");
    assertThat(count("letters")).isEqualTo(1);
  }

  @Test
  void finishedRowsBecomeDoneEvents() {
    letters(1, 2, true);

    assertThat(run("--copy", "--rows", "finished").exitCode()).isEqualTo(ExitCode.OK);

    JsonObject listed = cli.run("list", "--status", "DONE", "--json").json();
    assertThat(listed.getAsJsonArray("events")).hasSize(2);
    String id = listed.getAsJsonArray("events").get(0).getAsJsonObject().get("id").getAsString();
    assertThat(cli.run("show", id, "--json").json().get("doneAt").getAsString())
        .isEqualTo("2026-01-02T04:00:00Z");
  }

  @Test
  void aDelayIsKept() {
    letters(1, 1, false);
    execute("UPDATE letters SET due_at = '2099-01-01 00:00:00'");

    run("--take");

    assertThat(onlyEvent().get("availableAt").getAsString()).isEqualTo("2099-01-01T00:00:00Z");
  }

  @Test
  void verificationFindsWhatIsMissingOrDifferent() {
    letters(1, 4, false);
    run("--copy", "--limit", "3");

    CliRun.Result missing = run("--verify");
    execute("UPDATE letters SET body = '{}' WHERE no = 2");
    CliRun.Result different = run("--verify", "--json");

    assertThat(missing.exitCode()).isEqualTo(ExitCode.PROBLEMS_FOUND);
    assertThat(missing.out())
        .contains("letters: 4 rows, 1 missing in the outbox table, 3 equal, 0 refused");
    assertThat(different.json().get("missing").getAsLong()).isEqualTo(1);
    assertThat(different.json().get("alreadyThere").getAsLong()).isEqualTo(2);
    assertThat(different.json().get("problems").toString()).contains("another payload");
  }

  @Test
  void conditionsAndAgeChooseRows() {
    letters(1, 3, false);
    execute("UPDATE letters SET kind = 'draft' WHERE no = 1");
    execute("UPDATE letters SET written_at = CURRENT_TIMESTAMP WHERE no = 2");

    CliRun.Result result = run("--take", "--older-than", "2d", "--json");

    assertThat(result.json().get("imported").getAsLong()).isEqualTo(1);
    assertThat(count("letters")).isEqualTo(2);
  }

  @Test
  void aConditionCanBeginAfterAValue() throws IOException {
    letters(1, 5, false);
    mapping = file(MAPPING.replace("where:\n", "where:\n  - {column: no, after: 2}\n"));

    assertThat(run("--take", "--json").json().get("imported").getAsLong()).isEqualTo(3);
    assertThat(count("letters WHERE no <= 2")).isEqualTo(2);
  }

  @Test
  void importsAtTheSameTimeShareTheRows() {
    letters(1, 2_000, false);
    letters(10_001, 500, true);

    long taken = importedByTwo("--take");
    long copied = importedByTwo("--copy", "--rows", "finished");

    assertThat(taken).isEqualTo(2_000);
    assertThat(copied).isEqualTo(500);
    assertThat(count("outbox_event")).isEqualTo(2_500);
    assertThat(count("letters")).isEqualTo(500);
  }

  private long importedByTwo(String... words) {
    List<CompletableFuture<CliRun.Result>> running =
        Stream.of(1, 2)
            .map(
                i ->
                    CompletableFuture.supplyAsync(
                        () -> run(with(words, "--batch", "50", "--json"))))
            .toList();
    return running.stream()
        .map(CompletableFuture::join)
        .mapToLong(result -> result.json().get("imported").getAsLong())
        .sum();
  }

  private static String[] with(String[] words, String... more) {
    return Stream.concat(Arrays.stream(words), Arrays.stream(more)).toArray(String[]::new);
  }

  @Test
  void largeTablesAreReadInOrderAndInParts() {
    letters(1, 21_000, false);

    CliRun.Result result = run("--take", "--json");

    assertThat(result.json().get("imported").getAsLong()).as(result.toString()).isEqualTo(21_000);
    assertThat(count("letters")).isZero();
    assertThat(
            count(
                "(SELECT aggregate_id, row_number() OVER (ORDER BY seq) AS n FROM outbox_event) o"
                    + " WHERE o.aggregate_id <> CONCAT('c-', o.n)"))
        .isZero();
  }

  @Test
  void mistakesInTheMappingAreSaid() throws IOException {
    mapping = file(MAPPING.replace("aggregate-id: customer", "aggregate-id: custmer"));
    assertThat(run("--dry-run").err()).contains("no column 'custmer'").contains("customer");

    mapping = file(MAPPING.replace("letters\n", "letters; DROP TABLE letters\n"));
    assertThat(run("--dry-run").err()).contains("is no table name").contains("mapping.yaml:1");

    mapping = file(MAPPING.replace("payload: body", "paylod: body"));
    assertThat(run("--dry-run").err()).contains("did you mean 'payload'?");

    mapping = directory.resolve("nothing.yaml").toString();
    assertThat(run("--dry-run").err()).contains("name a file, or one of namastack");
  }

  @Test
  void theMappingOfThePageWorks() throws IOException {
    letters(1, 3, false);
    String page = Files.readString(HelpTest.ROOT.resolve("docs/moving.md"));
    int begin = page.indexOf("```yaml") + 8;
    mapping = file(page.substring(begin, page.indexOf("```", begin)));

    assertThat(run("--take").exitCode()).isEqualTo(ExitCode.OK);

    assertThat(count("letters WHERE sent_at IS NOT NULL")).isEqualTo(3);
  }

  @Test
  void itIsCalledWrongly() {
    assertThat(run().err()).contains("--dry-run first");
    assertThat(run("--take", "--copy").exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run("--copy", "--follow", "1s").err()).contains("--follow needs --take");
    assertThat(run("--copy", "--rows", "dead").err()).contains("does not say which rows are dead");
    assertThat(cli.run("import", "--copy").err()).contains("--from");
    assertThat(run("--copy", "--source-table", "elsewhere").err()).contains("elsewhere");
  }

  @Test
  void importedEventsAreDueAtOnce() throws SQLException {
    letters(1, 3, false);
    run("--take");

    try (Connection conn = dataSource.getConnection()) {
      var store = JdbcOutboxStores.detect(dataSource);
      assertThat(store.pollPending(conn, store.currentTime(conn).orElseThrow(), Duration.ZERO, 10))
          .extracting(EventEnvelope::fromRow)
          .extracting(EventEnvelope::isDelayed)
          .containsExactly(false, false, false);
    }
  }
}
