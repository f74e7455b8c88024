package io.outbox.moving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.serializer.GsonSerializer;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.zaxxer.hikari.HikariDataSource;
import io.outbox.cli.Cli;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One-time tasks of db-scheduler with JSON, by a mapping file: two columns are its key. */
class DbSchedulerImportTest {

  private static final String TABLE =
      """
      CREATE TABLE scheduled_tasks (
        task_name TEXT NOT NULL, task_instance TEXT NOT NULL, task_data BYTEA,
        execution_time TIMESTAMPTZ, picked BOOLEAN NOT NULL, picked_by TEXT,
        last_success TIMESTAMPTZ, last_failure TIMESTAMPTZ, consecutive_failures INT,
        last_heartbeat TIMESTAMPTZ, version BIGINT NOT NULL, priority SMALLINT, state TEXT,
        PRIMARY KEY (task_name, task_instance))
      """;

  private static final String MAPPING =
      """
      # snippet: moving-db-scheduler-mapping
      table: scheduled_tasks
      key: task_instance
      order-by: execution_time
      id-namespace: mail
      rows:
        pending: all
      where:
        - {column: task_name, in: [mail]}
      event:
        type: {constant: SendMail}
        payload: task_data
        available-at: execution_time
      # end
      """;

  @TempDir private Path directory;

  @Test
  void oneTaskIsImported() throws Exception {
    try (Database database = TestDatabase.POSTGRES.fresh()) {
      HikariDataSource dataSource = database.pooled(8);
      OutboxSchema.create(dataSource);
      Sql.execute(dataSource, TABLE);
      OneTimeTask<OrderPlaced> mail = task("mail");
      OneTimeTask<OrderPlaced> other = task("other");
      SchedulerClient client =
          SchedulerClient.Builder.create(dataSource, mail, other)
              .serializer(new GsonSerializer())
              .build();
      for (int number = 1; number <= 5; number++) {
        OrderPlaced order = new OrderPlaced(number, "customer");
        client.scheduleIfNotExists(mail.instance("order-" + number, order), Instant.now());
        client.scheduleIfNotExists(other.instance("order-" + number, order), Instant.now());
      }
      client.scheduleIfNotExists(
          mail.instance("later", new OrderPlaced(6, "customer")),
          Instant.now().plus(Duration.ofDays(1)));
      Path mapping = Files.writeString(directory.resolve("mail.yaml"), MAPPING);

      Cli.Result taken =
          new Cli(database).run("import", "--from", mapping.toString(), "--take", "--json");

      assertThat(taken.number("imported")).as(taken.toString()).isEqualTo(6);
      assertThat(Sql.count(dataSource, "scheduled_tasks")).isEqualTo(5);
      try (Delivered delivered = new Delivered(dataSource)) {
        await().atMost(Duration.ofSeconds(60)).until(() -> delivered.orders() == 5);
        assertThat(delivered.event(1).eventType()).isEqualTo("SendMail");
        assertThat(delivered.mostOften()).isEqualTo(1);
      }
      assertThat(Sql.count(dataSource, "outbox_event WHERE available_at > now()")).isEqualTo(1);
    }
  }

  private static OneTimeTask<OrderPlaced> task(String name) {
    return Tasks.oneTime(name, OrderPlaced.class).execute((instance, context) -> {});
  }
}
