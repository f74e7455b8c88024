package io.outbox.jdbc.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RowLocksTest {

  @ParameterizedTest
  @CsvSource({
    "8.0.33, 8, true",
    "9.1.0, 9, true",
    "5.7.44-log, 5, false",
    "8.0.11-TiDB-v7.5.0, 8, false",
    "11.4.5-MariaDB-log, 11, true",
    "10.6.12-MariaDB, 10, true",
    "10.11.19-MariaDB-0+deb12u1, 10, true",
    "10.5.9-MariaDB, 10, false",
    "5.5.5-10.4.30-MariaDB, 5, false",
    "5.5.5-10.6.4-MariaDB, 5, true",
  })
  void theVersionTellsWhetherLockedRowsCanBeSkipped(String version, int major, boolean expected)
      throws SQLException {
    DatabaseMetaData database =
        (DatabaseMetaData)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {DatabaseMetaData.class},
                (proxy, method, args) ->
                    method.getName().equals("getDatabaseProductVersion") ? version : major);
    assertThat(RowLocks.canSkip(database)).isEqualTo(expected);
  }
}
