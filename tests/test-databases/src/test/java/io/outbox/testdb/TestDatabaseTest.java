package io.outbox.testdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TestDatabaseTest {

  @ParameterizedTest
  @EnumSource(names = "MYSQL", mode = EnumSource.Mode.EXCLUDE)
  void two_fresh_databases_are_separate(TestDatabase kind) throws SQLException {
    try (Database one = kind.fresh();
        Database other = kind.fresh()) {
      Sql.execute(one.dataSource(), "CREATE TABLE thing (id INT)");
      Sql.execute(other.dataSource(), "CREATE TABLE thing (id INT)");
      Sql.execute(one.dataSource(), "INSERT INTO thing VALUES (1)");

      assertThat(Sql.count(one.dataSource(), "thing")).isEqualTo(1);
      assertThat(Sql.count(other.dataSource(), "thing")).isZero();
    }
  }

  @Test
  @Tag("mysql")
  void two_fresh_databases_are_separate_on_mysql() throws SQLException {
    two_fresh_databases_are_separate(TestDatabase.MYSQL);
  }

  @Test
  @EnabledIfSystemProperty(named = "outbox.test.postgres.version", matches = ".+")
  void postgres_has_the_version_that_was_asked_for() throws SQLException {
    String asked = System.getProperty("outbox.test.postgres.version").replaceAll("\\.0$", "");
    try (Database database = TestDatabase.POSTGRES.fresh();
        Connection conn = database.dataSource().getConnection()) {
      assertThat(conn.getMetaData().getDatabaseProductVersion()).startsWith(asked);
    }
  }

  @ParameterizedTest
  @EnumSource(names = "MYSQL", mode = EnumSource.Mode.EXCLUDE)
  void a_closed_database_is_gone_though_a_transaction_is_open(TestDatabase kind)
      throws SQLException {
    Database database = kind.fresh();
    DataSource dataSource = database.dataSource();
    Sql.execute(dataSource, "CREATE TABLE thing (id INT)");
    Connection forgotten = dataSource.getConnection();
    forgotten.setAutoCommit(false);
    forgotten.createStatement().execute("INSERT INTO thing VALUES (1)");

    database.close();

    assertThatThrownBy(() -> Sql.count(dataSource, "thing")).isInstanceOf(SQLException.class);
  }

  @ParameterizedTest
  @EnumSource(names = "MYSQL", mode = EnumSource.Mode.EXCLUDE)
  void a_pool_ends_with_its_database(TestDatabase kind) throws SQLException {
    HikariDataSource pool;
    try (Database database = kind.fresh()) {
      pool = database.pooled(2);
      Sql.execute(pool, "CREATE TABLE thing (id INT)");
      assertThat(Sql.count(database.dataSource(), "thing")).isZero();
    }
    assertThat(pool.isClosed()).isTrue();
  }

  @Test
  void connector_j_reaches_the_same_mariadb() throws SQLException {
    try (Database database = TestDatabase.MARIADB.fresh()) {
      Sql.execute(database.dataSource(), "CREATE TABLE thing (id INT)");
      Sql.execute(database.connectorJDataSource(), "INSERT INTO thing VALUES (1)");

      assertThat(database.connectorJUrl()).startsWith("jdbc:mysql://");
      assertThat(Sql.count(database.dataSource(), "thing")).isEqualTo(1);
    }
  }
}
