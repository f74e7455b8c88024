package io.outbox.testdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class ExistingServerTest {

  private static DedicatedServer server;
  private static Database mariaDb;

  @BeforeAll
  static void startMariaDb() {
    server = TestDatabase.MARIADB.dedicatedServer();
    mariaDb = server.fresh();
  }

  @AfterAll
  static void stopMariaDb() {
    server.close();
  }

  @Test
  void no_server_is_used_unless_it_is_named() {
    assertThat(named(TestDatabase.POSTGRES, Map.of(), Map.of())).isEmpty();
    assertThat(named(TestDatabase.POSTGRES, Map.of("outbox.test.postgres.url", ""), Map.of()))
        .isEmpty();
  }

  @Test
  void a_named_server_gets_a_database_of_its_own() throws SQLException {
    try (DedicatedServer server = TestDatabase.POSTGRES.dedicatedServer();
        Database its = server.fresh()) {
      Endpoint found =
          named(TestDatabase.POSTGRES, Map.of(), Map.of("OUTBOX_TEST_POSTGRES_URL", its.jdbcUrl()))
              .orElseThrow();

      String databases = "pg_database WHERE datname LIKE 'outbox%'";
      try (Database fresh = found.createDatabase()) {
        assertThat(fresh.jdbcUrl()).isNotEqualTo(its.jdbcUrl());
        assertThat(Sql.value(fresh.dataSource(), "SELECT current_database()"))
            .isEqualTo(fresh.name());
        assertThat(Sql.count(its.dataSource(), databases)).isEqualTo(2);
      }
      assertThat(Sql.count(its.dataSource(), databases)).isEqualTo(1);
    }
  }

  @Test
  void a_property_wins_over_the_environment() {
    Endpoint found =
        named(
                TestDatabase.MARIADB,
                Map.of("outbox.test.mariadb.url", mariaDb.jdbcUrl()),
                Map.of("OUTBOX_TEST_MARIADB_URL", "jdbc:mariadb://nowhere.invalid/"))
            .orElseThrow();

    assertThat(found.url()).isEqualTo(mariaDb.jdbcUrl());
    assertThat(found.user()).isEqualTo("root");
  }

  @Test
  void the_url_of_another_product_is_refused() {
    assertThatThrownBy(
            () ->
                named(
                    TestDatabase.MYSQL,
                    Map.of("outbox.test.mysql.url", "jdbc:mariadb://host/"),
                    Map.of()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContainingAll("outbox.test.mysql.url", "jdbc:mysql://host:3306/");
  }

  @Test
  void mariadb_does_not_pass_for_mysql() {
    Map<String, String> properties = Map.of("outbox.test.mysql.url", mariaDb.connectorJUrl());

    assertThatThrownBy(() -> named(TestDatabase.MYSQL, properties, Map.of()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContainingAll("outbox.test.mysql.url", "but that server is", "MariaDB");
  }

  @Test
  void the_database_is_replaced_in_the_url_and_its_parameters_stay() {
    assertThat(url("jdbc:postgresql://h:1/postgres?ssl=true"))
        .isEqualTo("jdbc:postgresql://h:1/fresh?ssl=true");
    assertThat(url("jdbc:mariadb://h:1")).isEqualTo("jdbc:mariadb://h:1/fresh");
    assertThat(url("jdbc:mysql://h/?a=b")).isEqualTo("jdbc:mysql://h/fresh?a=b");
  }

  private static String url(String url) {
    return new Endpoint(TestDatabase.POSTGRES, url, "", "").url("fresh");
  }

  private static Optional<Endpoint> named(
      TestDatabase kind, Map<String, String> properties, Map<String, String> environment) {
    return ExistingServer.named(kind, properties::get, environment::get);
  }
}
