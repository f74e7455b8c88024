package io.outbox.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.OutboxStoreException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JdbcOutboxStoresTest {

  /** A database that says it is something. */
  static DataSource claimingToBe(String product, String version) {
    return claimingToBe(product, version, product + " " + version);
  }

  /**
   * @param full what it answers to {@code SELECT version()}
   */
  static DataSource claimingToBe(String product, String version, String full) {
    AtomicInteger rows = new AtomicInteger();
    ResultSet answer =
        proxy(
            ResultSet.class,
            method ->
                switch (method) {
                  case "next" -> rows.getAndIncrement() == 0;
                  case "getString" -> full;
                  default -> null;
                });
    Statement statement =
        proxy(Statement.class, method -> method.equals("executeQuery") ? answer : null);
    Connection asking =
        proxy(Connection.class, method -> method.equals("createStatement") ? statement : null);
    DatabaseMetaData metaData =
        proxy(
            DatabaseMetaData.class,
            method ->
                switch (method) {
                  case "getDatabaseProductName" -> product;
                  case "getDatabaseProductVersion" -> version;
                  case "getConnection" -> asking;
                  default -> throw new UnsupportedOperationException(method);
                });
    Connection conn =
        proxy(Connection.class, method -> method.equals("getMetaData") ? metaData : null);
    return proxy(DataSource.class, method -> conn);
  }

  private interface Answers {
    Object to(String method);
  }

  private static <T> T proxy(Class<T> type, Answers answers) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, args) -> {
              Object answer = answers.to(method.getName());
              return answer == null && method.getReturnType() == boolean.class ? true : answer;
            }));
  }

  @ParameterizedTest
  @CsvSource({
    "H2, 2.5.252, H2OutboxStore",
    "PostgreSQL, 14.0, PostgresOutboxStore",
    "PostgreSQL, 18.6, PostgresOutboxStore",
    "MySQL, 8.0.33, MySqlOutboxStore",
    "MySQL, 11.4.5-MariaDB-log, MySqlOutboxStore",
    "MariaDB, 10.6.12-MariaDB, MySqlOutboxStore",
    "MySQL, 8.0.11-TiDB-v7.5.0, MySqlOutboxStore",
  })
  void theStoreIsChosenByTheProduct(String product, String version, String store) {
    assertThat(JdbcOutboxStores.detect(claimingToBe(product, version)))
        .hasToString(store + "[outbox_event]");
    assertThat(JdbcOutboxStores.detect(claimingToBe(product, version), "app.events"))
        .hasToString(store + "[app.events]");
  }

  @ParameterizedTest
  @ValueSource(strings = {"H2", "POSTGRES", "MARIADB", "MARIADB_CONNECTOR_J"})
  void realDatabasesAreRecognised(Target target) {
    assertThat(JdbcOutboxStores.detect(target.dataSource())).hasSameClassAs(target.store());
  }

  /** PostgreSQL's driver calls them PostgreSQL. */
  @ParameterizedTest
  @CsvSource({
    "CockroachDB, 13.0.0, 'CockroachDB CCL v24.1.0 (x86_64-pc-linux-gnu, built 2024/05/15,"
        + " go1.22)'",
    "YugabyteDB, 11.2-YB-2.20.1.0-b0, 'PostgreSQL 11.2-YB-2.20.1.0-b0 on x86_64, compiled by"
        + " clang'",
  })
  void R17_whatOnlyLooksLikePostgresIsRefusedByNameWithTheReason(
      String name, String version, String full) {
    for (ThrowingCallable attempt :
        List.<ThrowingCallable>of(
            () -> JdbcOutboxStores.detect(claimingToBe("PostgreSQL", version, full)),
            () -> OutboxSchema.validate(claimingToBe("PostgreSQL", version, full)))) {
      assertThatThrownBy(attempt)
          .isInstanceOf(OutboxStoreException.class)
          .hasMessageStartingWith(name + " is not supported")
          .hasMessageContaining("ctid");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"9.6.24", "12.22", "13.23 (Debian 13.23-1)"})
  void R17_aPostgresThatIsTooOldIsRefusedWithTheReason(String version) {
    for (ThrowingCallable attempt :
        List.<ThrowingCallable>of(
            () -> JdbcOutboxStores.detect(claimingToBe("PostgreSQL", version)),
            () -> OutboxSchema.validate(claimingToBe("PostgreSQL", version)))) {
      assertThatThrownBy(attempt)
          .isInstanceOf(OutboxStoreException.class)
          .hasMessageMatching("PostgreSQL \\d+ is not supported.*PostgreSQL 14 or later.*");
    }
  }

  /** A store that was made by hand is refused when the engine asks for the time. */
  @Test
  void R17_aStoreMadeByHandRefusesALookalikeToo() throws SQLException {
    Connection conn =
        claimingToBe("PostgreSQL", "13.0.0", "CockroachDB CCL v24.1.0")
            .getConnection()
            .getMetaData()
            .getConnection();
    assertThatThrownBy(() -> new PostgresOutboxStore().currentTime(conn))
        .isInstanceOf(OutboxStoreException.class)
        .hasMessageStartingWith("CockroachDB is not supported");
  }

  @Test
  void anUnknownDatabaseIsNamedWithItsVersion() {
    assertThatThrownBy(() -> JdbcOutboxStores.detect(claimingToBe("Sybase", "11.0.2")))
        .isInstanceOf(OutboxStoreException.class)
        .hasMessageContaining("Sybase 11.0.2")
        .hasMessageContaining("PostgresOutboxStore")
        .hasMessageContaining("io.outbox.jdbc.spi.Dialect in META-INF/services");
  }

  @Test
  void aDatabaseThatCannotBeReachedIsNoMystery() {
    DataSource broken =
        proxy(
            DataSource.class,
            method -> {
              throw new IllegalStateException("no route to host");
            });
    assertThatThrownBy(() -> JdbcOutboxStores.detect(broken))
        .hasMessageContaining("no route to host");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "1st", "a b", "a-b", "a.b.c", ".a", "a.", "a;b", "täble", "a'"})
  void R17_aBadTableNameIsRefused(String name) throws SQLException {
    assertThatThrownBy(() -> new H2OutboxStore(name))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + name + "' is not a table name");
    assertThatThrownBy(() -> new MySqlOutboxStore(name))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new PostgresOutboxStore(name))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> JdbcOutboxStores.detect(claimingToBe("H2", "2"), name))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
