package io.outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The migrations for Flyway and Liquibase say what the schema says. What is published does not
 * change (see {@link PublishedMigrationsTest}): an addition to the schema gets files and change
 * sets of its own here, and {@code mvn test -pl outbox-jdbc -am -Dtest=MigrationFilesTest
 * -Doutbox.migrations.update=true} writes them.
 */
class MigrationFilesTest {

  private static final Path SCHEMA =
      Path.of(System.getProperty("basedir", ""), "src/main/resources/schema");

  /** The name of a database in Flyway's directories, and its DDL. */
  private static final Map<String, String> FLYWAY =
      Map.of(
          "h2", "outbox-h2.sql",
          "postgresql", "outbox-postgresql.sql",
          "mysql", "outbox-mysql.sql",
          "mariadb", "outbox-mysql.sql");

  record Migration(Path file, String text) {
    @Override
    public String toString() {
      return file.toString();
    }
  }

  static Stream<Migration> migrations() throws IOException {
    Map<Path, String> files = new LinkedHashMap<>();
    for (Map.Entry<String, String> database : FLYWAY.entrySet()) {
      files.put(
          Path.of("outbox-flyway", database.getKey(), "R__outbox_event.sql"),
          repeatable(ddl(database.getValue())));
      files.put(
          Path.of("outbox-flyway", database.getKey(), "R__outbox_event_members.sql"),
          repeatable(ddl(members(database.getValue()))));
      files.put(
          Path.of("outbox-flyway", database.getKey(), "R__outbox_event_waiting.sql"),
          database.getKey().equals("mysql")
              ? unlessThere(ddl("outbox-mysql-waiting.sql"))
              : repeatableAddition(database.getKey(), ddl(waiting(database.getValue()))));
      files.put(
          Path.of("outbox-flyway-ordered", database.getKey(), "R__outbox_event_ordered.sql"),
          repeatableAddition(database.getKey(), ddl(ordered(database.getValue()))));
      files.put(
          Path.of("outbox-flyway-operator", database.getKey(), "R__outbox_event_operator.sql"),
          repeatable(ddl(operator(database.getValue()))));
    }
    files.put(
        Path.of("outbox-liquibase", "changelog.sql"),
        "--liquibase formatted sql\n"
            + changeSet("h2", "h2", ddl("outbox-h2.sql"))
            + changeSet("postgresql", "postgresql", ddl("outbox-postgresql.sql"))
            + changeSet(
                "mysql", "mysql,mariadb stripComments:false", withoutNotes(ddl("outbox-mysql.sql")))
            + memberTable("h2", "h2", ddl("outbox-h2-members.sql"))
            + memberTable("postgresql", "postgresql", ddl("outbox-postgresql-members.sql"))
            + memberTable(
                "mysql",
                "mysql,mariadb stripComments:false",
                withoutNotes(ddl("outbox-mysql-members.sql")))
            + waitingColumn("h2", "h2", ddl("outbox-h2-waiting.sql"))
            + waitingColumn("postgresql", "postgresql", ddl("outbox-postgresql-waiting.sql"))
            + waitingColumn(
                "mysql", "mysql,mariadb", withoutNotes(ddl("outbox-mysql-waiting.sql"))));
    files.put(
        Path.of("outbox-liquibase", "ordered.sql"),
        "--liquibase formatted sql\n"
            + addition("h2", "h2", ddl("outbox-h2-ordered.sql"))
            + addition("postgresql", "postgresql", ddl("outbox-postgresql-ordered.sql"))
            + addition(
                "mysql",
                "mysql,mariadb stripComments:false",
                withoutNotes(ddl("outbox-mysql-ordered.sql"))));
    files.put(
        Path.of("outbox-liquibase", "operator.sql"),
        "--liquibase formatted sql\n"
            + operatorTables("h2", "h2", ddl("outbox-h2-operator.sql"))
            + operatorTables("postgresql", "postgresql", ddl("outbox-postgresql-operator.sql"))
            + operatorTables(
                "mysql",
                "mysql,mariadb stripComments:false",
                withoutNotes(ddl("outbox-mysql-operator.sql"))));
    return files.entrySet().stream().map(file -> new Migration(file.getKey(), file.getValue()));
  }

  /** The file with what order by key needs. */
  private static String ordered(String file) {
    return file.replace(".sql", "-ordered.sql");
  }

  /** The file with what an operator needs. */
  private static String operator(String file) {
    return file.replace(".sql", "-operator.sql");
  }

  /** The file with the list of nodes. */
  private static String members(String file) {
    return file.replace(".sql", "-members.sql");
  }

  /** The file with the column that says since when an event waits. */
  private static String waiting(String file) {
    return file.replace(".sql", "-waiting.sql");
  }

  private static String ddl(String file) throws IOException {
    return Files.readString(SCHEMA.resolve(file));
  }

  /** Does nothing when it is repeated. */
  private static String repeatable(String ddl) {
    return "-- For Flyway: without a version, so that it cannot collide with one of yours.\n"
        + ddl.replaceAll("(?m)^CREATE (TABLE|INDEX) ", "CREATE $1 IF NOT EXISTS ");
  }

  /**
   * MySQL cannot do nothing when a column or an index is there, so for MySQL it must not change.
   */
  private static String repeatableAddition(String database, String ddl) {
    String repeatable = repeatable(ddl).replace("ADD COLUMN ", "ADD COLUMN IF NOT EXISTS ");
    return database.equals("mysql")
        ? repeatable.replaceAll("(COLUMN|CREATE INDEX) IF NOT EXISTS", "$1")
        : repeatable;
  }

  /**
   * Who created the table may have added the column, and MySQL cannot be asked in the statement.
   */
  private static String unlessThere(String ddl) {
    String notes = repeatable(ddl.substring(0, ddl.indexOf("ALTER TABLE")));
    return notes
        + """
        SET @outbox_ddl = (
          SELECT IF(COUNT(*) > 0, 'DO 0',
            'ALTER TABLE outbox_event ADD COLUMN waiting_since DATETIME(6), ADD INDEX outbox_event_waiting (waiting_since)')
          FROM information_schema.columns
          WHERE table_schema = DATABASE() AND table_name = 'outbox_event'
            AND column_name = 'waiting_since');
        PREPARE outbox_statement FROM @outbox_ddl;
        EXECUTE outbox_statement;
        DEALLOCATE PREPARE outbox_statement;
        """;
  }

  /** Only with the comments that the server reads, and that Liquibase must not remove. */
  private static String withoutNotes(String ddl) {
    return ddl.replaceAll("(?m)^ *-- .*\\R", "").strip() + "\n";
  }

  private static String changeSet(String id, String dbms, String ddl) {
    return "\n--changeset io.outbox:1-"
        + id
        + " dbms:"
        + dbms
        + "\n"
        + ddl
        + "--rollback DROP TABLE outbox_event;\n";
  }

  /** A node may have created it before. */
  private static String memberTable(String id, String dbms, String ddl) {
    return "\n--changeset io.outbox:members-1-"
        + id
        + " dbms:"
        + dbms
        + "\n"
        + ddl.replace("CREATE TABLE ", "CREATE TABLE IF NOT EXISTS ")
        + "--rollback DROP TABLE outbox_event_member;\n";
  }

  /** Who created the table may have added it. */
  private static String waitingColumn(String id, String dbms, String ddl) {
    boolean mysql = id.equals("mysql");
    return "\n--changeset io.outbox:waiting-1-"
        + id
        + " dbms:"
        + dbms
        + "\n"
        + (mysql
            ? """
            --preconditions onFail:MARK_RAN
            --precondition-sql-check expectedResult:0 SELECT COUNT(*) FROM information_schema.columns \
            WHERE table_schema = DATABASE() AND table_name = 'outbox_event' \
            AND column_name = 'waiting_since'
            """
                + ddl
            : ddl.replace("ADD COLUMN ", "ADD COLUMN IF NOT EXISTS ")
                .replace("CREATE INDEX ", "CREATE INDEX IF NOT EXISTS "))
        + "--rollback DROP INDEX outbox_event_waiting"
        + (mysql ? " ON outbox_event;\n" : ";\n")
        + "--rollback ALTER TABLE outbox_event DROP COLUMN waiting_since;\n";
  }

  private static String operatorTables(String id, String dbms, String ddl) {
    return "\n--changeset io.outbox:operator-1-"
        + id
        + " dbms:"
        + dbms
        + "\n"
        + ddl
        + "--rollback DROP TABLE outbox_event_audit;\n"
        + "--rollback DROP TABLE outbox_event_pause;\n";
  }

  private static String addition(String id, String dbms, String ddl) {
    boolean columns = !id.equals("postgresql");
    return "\n--changeset io.outbox:ordered-1-"
        + id
        + " dbms:"
        + dbms
        + "\n"
        + ddl
        + "--rollback DROP INDEX outbox_event_key"
        + (id.equals("mysql") ? " ON outbox_event;\n" : ";\n")
        + (columns ? "--rollback ALTER TABLE outbox_event DROP COLUMN key_lane;\n" : "")
        + (columns ? "--rollback ALTER TABLE outbox_event DROP COLUMN key_name;\n" : "")
        + "--rollback DROP TABLE outbox_event_block;\n"
        + "--rollback DROP TABLE outbox_event_node;\n"
        + "--rollback DROP TABLE outbox_event_lane;\n";
  }

  @ParameterizedTest
  @MethodSource("migrations")
  void aMigrationSaysWhatTheSchemaSays(Migration migration) throws IOException {
    Path file = SCHEMA.resolve(migration.file());
    if (Boolean.getBoolean("outbox.migrations.update")) {
      Files.createDirectories(file.getParent());
      Files.writeString(file, migration.text());
    }
    assertThat(file).hasContent(migration.text());
  }
}
