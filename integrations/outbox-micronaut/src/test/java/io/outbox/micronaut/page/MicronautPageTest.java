package io.outbox.micronaut.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.micronaut.context.ApplicationContext;
import io.outbox.gson.GsonJsonCodec;
import io.outbox.spi.JsonCodec;
import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import io.outbox.testing.Await;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The code of the page about Micronaut. */
class MicronautPageTest {

  private static final Duration SOON = Duration.ofSeconds(60);

  @Test
  void anOrderIsPlacedAndItsMailSent() throws Exception {
    try (Database database = TestDatabase.H2.fresh()) {
      try (Connection connection = database.dataSource().getConnection();
          Statement statement = connection.createStatement()) {
        statement.execute("CREATE TABLE orders (id VARCHAR(36) PRIMARY KEY)");
      }
      try (ApplicationContext context = start(database)) {
        context.getBean(Orders.class).place("A-17");

        Await.until("the mail", SOON, () -> delivered(database) == 1);
        assertThat(JsonCodec.getDefault()).isSameAs(context.getBean(JsonCodec.class));
      }
      assertThat(JsonCodec.getDefault()).isInstanceOf(GsonJsonCodec.class);
    }
  }

  private static int delivered(Database database) {
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery("SELECT count(*) FROM outbox_event WHERE status = 1")) {
      rows.next();
      return rows.getInt(1);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static ApplicationContext start(Database database) {
    return ApplicationContext.run(
        Map.of(
            "spec", "page",
            "datasources.default.url", database.jdbcUrl(),
            "datasources.default.username", database.user(),
            "datasources.default.password", database.password()));
  }
}
