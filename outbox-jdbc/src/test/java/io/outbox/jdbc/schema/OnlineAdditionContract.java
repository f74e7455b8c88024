package io.outbox.jdbc.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.EventEnvelope;
import io.outbox.jdbc.Addition;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.store.Target;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A database on which those who come after a waiting change would wait as well. */
abstract class OnlineAdditionContract extends FreshDatabase {

  private static final String TABLE = "outbox_event";
  private static final int WRITERS = 20;

  private final String waitingSql;

  /** {@code waitingSql} counts the changes of the table that wait for a lock. */
  OnlineAdditionContract(Target target, String waitingSql) {
    super(target);
    this.waitingSql = waitingSql;
  }

  @Test
  void writersGoOnWhileAnAdditionWaitsForAnOpenTransaction() throws Exception {
    OutboxSchema.create(dataSource);
    execute(
        target.dropIndex("outbox_event_waiting"),
        "ALTER TABLE outbox_event DROP COLUMN waiting_since");
    CompletableFuture<Void> migration;
    try (Connection holder = dataSource.getConnection()) {
      holder.setAutoCommit(false);
      insert(holder);
      migration = CompletableFuture.runAsync(() -> OutboxSchema.createWaiting(dataSource, TABLE));
      await().atMost(Duration.ofMinutes(1)).until(() -> number(waitingSql) > 0);

      CompletableFuture.runAsync(this::insertMany).get(30, TimeUnit.SECONDS);

      assertThat(migration).isNotDone();
      holder.commit();
    }
    migration.get(2, TimeUnit.MINUTES);
    assertThat(OutboxSchema.problems(dataSource, TABLE, Addition.WAITING)).isEmpty();
    assertThat(number("SELECT count(*) FROM outbox_event")).isEqualTo(WRITERS + 1);
  }

  private void insertMany() {
    for (int i = 0; i < WRITERS; i++) {
      try (Connection conn = dataSource.getConnection()) {
        insert(conn);
      } catch (SQLException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private void insert(Connection conn) {
    target.store(TABLE).insertNew(conn, EventEnvelope.builder("Tested").payloadJson("{}").build());
  }

  final long number(String sql) throws SQLException {
    try (Connection conn = dataSource.getConnection();
        Statement statement = conn.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }
}
