package io.outbox.jdbc.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.internal.StoreErrors;
import io.outbox.jdbc.internal.TableName;
import io.outbox.jdbc.store.Target;
import io.outbox.testdb.Database;
import java.sql.Connection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

class PostgresIndexesTest {

  private static final JdbcTemplate JDBC = new JdbcTemplate();
  private static final String INDEX =
      "CREATE INDEX outbox_event_tested ON outbox_event (tenant_id)";

  /** As nodes in different processes: nothing here keeps them apart but the database. */
  @Test
  void nodesThatStartTogetherMakeTheIndexOfALargeTableOnce() throws Exception {
    try (Database database = Target.POSTGRES.fresh()) {
      DataSource dataSource = Target.POSTGRES.dataSource(database);
      OutboxSchema.create(dataSource);
      try (Connection conn = dataSource.getConnection()) {
        JDBC.update(
            conn,
            """
            INSERT INTO outbox_event
              (event_id, event_type, payload, status, available_at, created_at, done_at)
            SELECT 'e' || n, 'Tested', to_json(repeat('x', 500)), 1, now(), now(), now()
            FROM generate_series(1, 20000) n
            """);
      }

      List<CompletableFuture<Void>> nodes =
          IntStream.range(0, 4)
              .mapToObj(node -> CompletableFuture.runAsync(() -> createIndex(dataSource)))
              .toList();
      for (CompletableFuture<Void> node : nodes) {
        node.get(2, TimeUnit.MINUTES);
      }

      try (Connection conn = dataSource.getConnection()) {
        assertThat(
                JDBC.query(
                    conn,
                    "SELECT indisvalid FROM pg_index"
                        + " WHERE indexrelid = 'outbox_event_tested'::regclass",
                    row -> row.getBoolean(1)))
            .containsExactly(true);
      }
    }
  }

  private static void createIndex(DataSource dataSource) {
    try (Connection conn = dataSource.getConnection()) {
      StoreErrors errors = new StoreErrors(Product.POSTGRESQL, TableName.of("outbox_event"));
      new OnlineChange(conn, Product.POSTGRESQL, errors).run(INDEX);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
