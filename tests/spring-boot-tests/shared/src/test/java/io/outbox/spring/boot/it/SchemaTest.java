package io.outbox.spring.boot.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.Outbox;
import io.outbox.jdbc.Addition;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.partition.PartitionRotation;
import io.outbox.model.EventStatus;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import io.outbox.testing.Await;
import io.outbox.testing.RecordingListener;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** Who creates the table. */
class SchemaTest {

  @Configuration(proxyBeanMethods = false)
  static class Listening {
    @Bean
    RecordingListener listener(DefaultListenerRegistry registry) {
      RecordingListener listener = new RecordingListener();
      registry.registerDefault(listener);
      return listener;
    }
  }

  static ApplicationContextRunner on(Database database) {
    return Outboxes.runner()
        .withUserConfiguration(Listening.class)
        .withPropertyValues(
            "spring.datasource.url=" + database.jdbcUrl(),
            "spring.datasource.username=" + database.user(),
            "spring.datasource.password=" + database.password());
  }

  private static void assertDelivers(ApplicationContext context) {
    Outboxes.write(context, "OrderPlaced", "{}");
    Outboxes.awaitCounts(context, Map.of(EventStatus.DONE, 1));
  }

  private static List<String> tables(ApplicationContext context) {
    return context
        .getBean(JdbcTemplate.class)
        .queryForList("SELECT lower(table_name) FROM information_schema.tables", String.class);
  }

  @ParameterizedTest
  @EnumSource(names = {"H2", "POSTGRES", "MARIADB"})
  void theTableIsCreatedIfAsked(TestDatabase kind) {
    try (Database database = kind.fresh()) {
      for (int start = 1; start <= 2; start++) {
        on(database)
            .withPropertyValues("outbox.schema.initialize=always", "outbox.table-name=shop_events")
            .run(
                context -> {
                  assertThat(context).hasNotFailed();
                  assertThat(tables(context)).contains("shop_events");
                });
      }
    }
  }

  @Test
  void aDatabaseThatIsNotInMemoryIsLeftAlone() {
    try (Database database = TestDatabase.POSTGRES.fresh()) {
      on(database).run(context -> assertThat(context).hasFailed());
      on(database)
          .withPropertyValues("outbox.schema.validate=false", "outbox.mode=writer-only")
          .run(
              context -> {
                assertThat(context).hasNotFailed();
                assertThat(tables(context)).doesNotContain("outbox_event");
              });
      OutboxSchema.create(database.dataSource());
      on(database).run(SchemaTest::assertDelivers);
    }
  }

  @Test
  void aTableThatIsNotAsItShouldBeIsNoticed() {
    String url = Outboxes.inMemory();
    DataSource dataSource = new DriverManagerDataSource(url, "sa", "");
    OutboxSchema.create(dataSource);
    new JdbcTemplate(dataSource).execute("ALTER TABLE outbox_event DROP COLUMN tenant_id");
    for (String initialize : List.of("embedded", "always", "never")) {
      Outboxes.runner()
          .withPropertyValues(
              "spring.datasource.url=" + url, "outbox.schema.initialize=" + initialize)
          .run(
              context ->
                  assertThat(context)
                      .getFailure()
                      .rootCause()
                      .hasMessageContaining("column tenant_id is missing"));
    }
  }

  @Test
  void aStoreOfTheApplicationsOwnNeedsNoTable() {
    Outboxes.runner()
        .withPropertyValues("outbox.schema.initialize=never")
        .withUserConfiguration(AutoConfigurationTest.Own.class)
        .run(context -> assertThat(context).hasNotFailed().hasSingleBean(Outbox.class));
  }

  @ParameterizedTest
  @EnumSource(names = {"H2", "POSTGRES", "MARIADB"})
  void flywayCreatesTheTable(TestDatabase kind) {
    try (Database database = kind.fresh()) {
      for (int start = 1; start <= 2; start++) {
        int events = start;
        on(database)
            .withConfiguration(AutoConfigurations.of(Boot.FLYWAY))
            .withPropertyValues(
                "outbox.schema.initialize=never",
                "spring.flyway.locations=classpath:db/shop,"
                    + "classpath:schema/outbox-flyway/{vendor},"
                    + "classpath:schema/outbox-flyway-archive/{vendor}")
            .run(
                context -> {
                  Outboxes.write(context, "OrderPlaced", "{}");
                  Outboxes.awaitCounts(context, Map.of(EventStatus.DONE, events));
                  assertThat(tables(context))
                      .contains("orders", "flyway_schema_history", "outbox_event_member");
                  assertThat(
                          OutboxSchema.problems(
                              context.getBean(DataSource.class), "outbox_event", Addition.ARCHIVE))
                      .isEmpty();
                  assertThat(
                          OutboxSchema.problems(
                              context.getBean(DataSource.class), "outbox_event", Addition.WAITING))
                      .isEmpty();
                });
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"H2", "POSTGRES", "MARIADB"})
  void liquibaseCreatesTheTable(TestDatabase kind) {
    try (Database database = kind.fresh()) {
      for (int start = 1; start <= 2; start++) {
        int events = start;
        on(database)
            .withConfiguration(AutoConfigurations.of(Boot.LIQUIBASE))
            .withPropertyValues(
                "outbox.schema.initialize=never",
                "spring.liquibase.change-log=classpath:db/shop/changelog.xml")
            .run(
                context -> {
                  Outboxes.write(context, "OrderPlaced", "{}");
                  Outboxes.awaitCounts(context, Map.of(EventStatus.DONE, events));
                  assertThat(tables(context))
                      .contains("orders", "databasechangelog", "outbox_event_member");
                  assertThat(
                          OutboxSchema.problems(
                              context.getBean(DataSource.class), "outbox_event", Addition.ARCHIVE))
                      .isEmpty();
                  assertThat(
                          OutboxSchema.problems(
                              context.getBean(DataSource.class), "outbox_event", Addition.WAITING))
                      .isEmpty();
                });
      }
    }
  }

  @Test
  void theTableIsCreatedInPartitionsIfAsked() {
    assertRotates(AutoConfigurations.of(), "outbox.schema.initialize=always");
  }

  @Test
  void flywayCreatesTheTableInPartitions() {
    assertRotates(
        AutoConfigurations.of(Boot.FLYWAY),
        "outbox.schema.initialize=never",
        "spring.flyway.locations=classpath:schema/outbox-flyway-rotated/{vendor},"
            + "classpath:schema/outbox-flyway-ordered/{vendor}");
  }

  @Test
  void liquibaseCreatesTheTableInPartitions() {
    assertRotates(
        AutoConfigurations.of(Boot.LIQUIBASE),
        "outbox.schema.initialize=never",
        "spring.liquibase.change-log=classpath:schema/outbox-liquibase/rotated.sql");
  }

  private static void assertRotates(AutoConfigurations migrations, String... properties) {
    try (Database database = TestDatabase.POSTGRES.fresh()) {
      for (int start = 1; start <= 2; start++) {
        int events = start;
        on(database)
            .withConfiguration(migrations)
            .withPropertyValues(properties)
            .withPropertyValues(
                "outbox.purge.enabled=true",
                "outbox.purge.rotation.enabled=true",
                "outbox.purge.rotation.events-per-partition=5000")
            .run(
                context -> {
                  Await.until(
                      () -> "two partitions ahead, there are " + eventsAhead(context),
                      Duration.ofSeconds(60),
                      () -> eventsAhead(context) >= 9_000);
                  Outboxes.write(context, "OrderPlaced", "{}");
                  Outboxes.awaitCounts(context, Map.of(EventStatus.DONE, events));
                });
      }
    }
  }

  private static long eventsAhead(ApplicationContext context) {
    return context
        .getBean(JdbcTemplate.class)
        .execute(
            (ConnectionCallback<Long>)
                conn -> new PartitionRotation().status(conn).orElseThrow().eventsAhead());
  }

  @Test
  void aTableOutlivesTheConnectionThatCreatedIt() {
    String url = Outboxes.inMemory();
    OutboxSchema.create(new DriverManagerDataSource(url, "sa", "")); // a connection for this alone
    Outboxes.runner()
        .withUserConfiguration(Listening.class)
        .withPropertyValues("spring.datasource.url=" + url)
        .run(SchemaTest::assertDelivers);
  }
}
