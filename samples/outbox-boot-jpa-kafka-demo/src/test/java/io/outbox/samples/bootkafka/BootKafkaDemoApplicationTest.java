package io.outbox.samples.bootkafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.context.ConfigurableApplicationContext;

class BootKafkaDemoApplicationTest {

  @ParameterizedTest
  @EnumSource(names = {"H2", "POSTGRES"})
  void theStoryIsTrue(TestDatabase kind) throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (Database database = kind.fresh();
        ConfigurableApplicationContext application =
            BootKafkaDemoApplication.start(
                "--spring.datasource.url=" + database.jdbcUrl(),
                "--spring.datasource.username=" + database.user(),
                "--spring.datasource.password=" + database.password())) {
      application.getBean(Story.class).tell(new PrintStream(out, true, StandardCharsets.UTF_8));
    }

    assertThat(out.toString(StandardCharsets.UTF_8))
        .containsPattern("orders committed +100\n")
        .containsPattern("orders rolled back +1\n")
        .containsPattern("events replayed +100\n")
        .containsPattern("duplicates ignored +100\n")
        .contains("Each order was shipped once.");
  }
}
