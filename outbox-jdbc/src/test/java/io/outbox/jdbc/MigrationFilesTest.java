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
 * The migrations for Flyway and Liquibase say what the schema says. After a change of the schema,
 * {@code mvn test -pl outbox-jdbc -am -Dtest=MigrationFilesTest -Doutbox.migrations.update=true}
 * writes them anew. Once there is a release, the change set of Liquibase must stay as it is, and a
 * change of the schema be a second one.
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
                "mysql",
                "mysql,mariadb stripComments:false",
                withoutNotes(ddl("outbox-mysql.sql"))));
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
