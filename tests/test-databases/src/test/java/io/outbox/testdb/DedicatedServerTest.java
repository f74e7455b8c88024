package io.outbox.testdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DedicatedServerTest {

  @ParameterizedTest
  @EnumSource(names = {"POSTGRES", "MARIADB"})
  void what_was_committed_survives_a_kill(TestDatabase kind) throws SQLException {
    try (DedicatedServer server = kind.dedicatedServer();
        Database database = server.fresh();
        Connection open = database.dataSource().getConnection()) {
      Sql.execute(database.dataSource(), "CREATE TABLE thing (id INT)");
      Sql.execute(database.dataSource(), "INSERT INTO thing VALUES (1)");

      server.killServer();
      assertThat(open.isValid(1)).isFalse();
      assertThatThrownBy(() -> Sql.count(database.dataSource(), "thing"))
          .isInstanceOf(SQLException.class);

      server.restart();
      assertThat(Sql.count(database.dataSource(), "thing")).isEqualTo(1);
    }
  }

  @Test
  @Tag("mysql")
  void what_was_committed_survives_a_kill_on_mysql() throws SQLException {
    what_was_committed_survives_a_kill(TestDatabase.MYSQL);
  }

  @ParameterizedTest
  @EnumSource(names = {"POSTGRES", "MARIADB"})
  void two_hundred_connections_are_allowed(TestDatabase kind) throws SQLException {
    List<Connection> connections = new ArrayList<>();
    try (DedicatedServer server = kind.dedicatedServer();
        Database database = server.fresh()) {
      for (int i = 0; i < 200; i++) {
        connections.add(database.dataSource().getConnection());
      }
      for (Connection connection : connections) {
        assertThat(connection.isValid(1)).isTrue();
        connection.close();
      }
    }
  }

  @Test
  void a_database_may_be_closed_after_its_server_was_killed() {
    try (DedicatedServer server = TestDatabase.POSTGRES.dedicatedServer();
        Database database = server.fresh()) {
      server.killServer();
      assertThat(database.kind()).isEqualTo(TestDatabase.POSTGRES);
    }
  }

  @Test
  void a_durable_server_writes_every_commit_to_disk() throws SQLException {
    try (DedicatedServer server = TestDatabase.POSTGRES.durableServer();
        Database database = server.fresh()) {
      assertThat(Sql.value(database.dataSource(), "SHOW fsync")).isEqualTo("on");
      assertThat(Sql.value(database.dataSource(), "SHOW synchronous_commit")).isEqualTo("on");
    }
  }

  @Test
  void settings_outlive_a_restart() throws SQLException {
    try (DedicatedServer server =
            TestDatabase.POSTGRES.dedicatedServer(Map.of("wal_level", "logical"));
        Database database = server.fresh()) {
      server.restart();
      assertThat(Sql.value(database.dataSource(), "SHOW wal_level")).isEqualTo("logical");
    }
  }

  @Test
  void a_standby_has_what_the_primary_committed_and_takes_its_place() throws SQLException {
    try (DedicatedServer primary =
            TestDatabase.POSTGRES.dedicatedServer(Map.of("wal_keep_size", "256MB"));
        Database database = primary.fresh()) {
      Sql.execute(database.dataSource(), "CREATE TABLE thing (id INT)");
      try (DedicatedServer standby = primary.standby()) {
        primary.execute("ALTER SYSTEM SET synchronous_standby_names = '*'");
        primary.execute("SELECT pg_reload_conf()");
        await().atMost(Duration.ofSeconds(60)).until(() -> syncedWith(database).equals("1"));
        Sql.execute(database.dataSource(), "INSERT INTO thing VALUES (1)");
        primary.killServer();
        standby.promote();
        String url =
            database.jdbcUrl().replace(":" + primary.port() + "/", ":" + standby.port() + "/");
        DataSource promoted = DataSources.unpooled(url, database.user(), database.password());
        assertThat(Sql.count(promoted, "thing")).isEqualTo(1);
      }
    }
  }

  private static String syncedWith(Database primary) throws SQLException {
    return Sql.value(
        primary.dataSource(), "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'");
  }
}
