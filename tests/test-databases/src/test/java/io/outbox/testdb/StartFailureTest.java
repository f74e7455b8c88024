package io.outbox.testdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StartFailureTest {

  @Test
  void a_postgres_that_does_not_start_says_why_and_what_to_do() throws IOException {
    PostgresProcess postgres =
        new PostgresProcess(Map.of("no_such_setting", "1"), Duration.ofMillis(500));

    assertThatThrownBy(postgres::start)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContainingAll(
            "POSTGRES",
            "no_such_setting",
            "-Doutbox.test.postgres.url=jdbc:postgresql://host:5432/postgres",
            "OUTBOX_TEST_POSTGRES_URL");
    assertThat(Files.exists(postgres.directory.log())).isFalse();
  }

  @Test
  void a_mariadb_that_does_not_start_says_why_and_what_to_do() {
    assertThatThrownBy(() -> TestDatabase.MARIADB.dedicatedServer(Map.of("no-such-option", "1")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContainingAll(
            "MARIADB", "unknown variable 'no-such-option=1'", "OUTBOX_TEST_MARIADB_URL");
  }

  @Test
  void mysql_without_its_profile_says_so() {
    assertThatThrownBy(() -> TestDatabase.MYSQL.dedicatedServer())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContainingAll("-Pmysql", "outbox.test.mysql.zip", "OUTBOX_TEST_MYSQL_URL");
  }

  @Test
  void another_platform_is_named() {
    assertThatThrownBy(() -> Platform.check("Mac OS X", "aarch64"))
        .hasMessageContainingAll("Linux on amd64", "Mac OS X on aarch64");
  }

  @Test
  void a_missing_library_is_named() {
    String log = "mysqld: error while loading shared libraries: libaio.so.1: cannot open";

    assertThat(StartFailure.of(TestDatabase.MYSQL, log, new IOException("ended at once")))
        .hasMessageContainingAll("ended at once", log, "apt-get install libaio1");
  }
}
