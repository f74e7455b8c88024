package io.outbox.spring.boot.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.jdbc.Addition;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.model.EventStatus;
import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * An application that has run the first files for Flyway or Liquibase, and has filled the table,
 * gets later additions with the newest files. Files that are published never change, so the first
 * ones are among the newest.
 */
class MigrationUpgradeTest {

  private static final String TABLE = "outbox_event";

  @TempDir Path directory;

  @ParameterizedTest
  @EnumSource(names = {"H2", "POSTGRES", "MARIADB"})
  void flywayBringsAFilledTableToTheNewestShape(TestDatabase kind) throws IOException {
    String vendor = vendor(kind);
    copy("outbox-flyway/" + vendor + "/R__outbox_event.sql", "R__outbox_event.sql");
    for (String addition : List.of("ordered", "operator")) {
      String file = "R__outbox_event_" + addition + ".sql";
      copy("outbox-flyway-" + addition + "/" + vendor + "/" + file, file);
    }
    isUpgraded(
        kind,
        Boot.FLYWAY,
        "spring.flyway.locations=filesystem:" + directory,
        "spring.flyway.locations=classpath:schema/outbox-flyway/{vendor},"
            + "classpath:schema/outbox-flyway-ordered/{vendor},"
            + "classpath:schema/outbox-flyway-operator/{vendor}");
  }

  @ParameterizedTest
  @EnumSource(names = {"H2", "POSTGRES", "MARIADB"})
  void liquibaseBringsAFilledTableToTheNewestShape(TestDatabase kind) throws IOException {
    String newest = read("outbox-liquibase/changelog.sql");
    String first = newest.substring(0, newest.indexOf("--changeset io.outbox:members-1-"));
    Path file = Files.writeString(directory.resolve("changelog.sql"), first);
    isUpgraded(
        kind,
        Boot.LIQUIBASE,
        "spring.liquibase.change-log=" + file.toUri(),
        "spring.liquibase.change-log=classpath:db/shop/changelog.xml");
  }

  private static void isUpgraded(
      TestDatabase kind, Class<?> tool, String firstFiles, String newestFiles) {
    try (Database database = kind.fresh()) {
      ApplicationContextRunner application =
          SchemaTest.on(database)
              .withConfiguration(AutoConfigurations.of(tool))
              .withPropertyValues("outbox.schema.initialize=never");
      application
          .withPropertyValues(firstFiles, "outbox.mode=writer-only")
          .run(
              context -> {
                fill(context);
                if (tool == Boot.LIQUIBASE) {
                  // Where the application of then had it, too.
                  context
                      .getBean(JdbcTemplate.class)
                      .update(
                          "UPDATE DATABASECHANGELOG SET FILENAME ="
                              + " 'schema/outbox-liquibase/changelog.sql'");
                }
                assertThat(missing(context))
                    .contains(
                        "table outbox_event_member is missing", "column waiting_since is missing");
              });
      for (int start = 1; start <= 2; start++) {
        application
            .withPropertyValues(newestFiles)
            .run(
                context -> {
                  assertThat(context).hasNotFailed();
                  assertThat(missing(context)).isEmpty();
                  Outboxes.awaitCounts(context, Map.of(EventStatus.DONE, 4, EventStatus.DEAD, 1));
                });
      }
    }
  }

  /** Three that wait, one that is done and one that is dead. */
  private static void fill(ApplicationContext context) {
    for (int i = 0; i < 5; i++) {
      Outboxes.write(context, "OrderPlaced", Integer.toString(i));
    }
    JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
    List<String> ids = jdbc.queryForList("SELECT event_id FROM outbox_event", String.class);
    jdbc.update("UPDATE outbox_event SET status = 1 WHERE event_id = ?", ids.get(0));
    jdbc.update("UPDATE outbox_event SET status = 3 WHERE event_id = ?", ids.get(1));
  }

  private static List<String> missing(ApplicationContext context) {
    DataSource dataSource = context.getBean(DataSource.class);
    List<String> missing = new ArrayList<>(OutboxSchema.problems(dataSource, TABLE));
    missing.addAll(OutboxSchema.problems(dataSource, TABLE, Addition.MEMBERS));
    missing.addAll(OutboxSchema.problems(dataSource, TABLE, Addition.WAITING));
    return missing;
  }

  private static String vendor(TestDatabase kind) {
    return switch (kind) {
      case H2 -> "h2";
      case POSTGRES -> "postgresql";
      default -> "mariadb";
    };
  }

  private void copy(String file, String name) throws IOException {
    Files.writeString(directory.resolve(name), read(file));
  }

  private static String read(String file) throws IOException {
    try (InputStream in = OutboxSchema.class.getResourceAsStream("/schema/" + file)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
