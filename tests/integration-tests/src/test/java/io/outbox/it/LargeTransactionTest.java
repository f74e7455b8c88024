package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.model.EventStatus;
import io.outbox.testdb.TestDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * R13: memory does not follow the transaction. A process with 96 MB writes far more than that in
 * one, and delivers it.
 */
class LargeTransactionTest {

  @TempDir Path directory;

  @ParameterizedTest
  @CsvSource({"single, 500", "multi, 500", "ordered-by-key, 500", "single, 1", "multi, 1"})
  void R13_whatCannotBeDeliveredFromMemoryIsNotKept(String mode, int perCall) throws Exception {
    run(TestDatabase.POSTGRES, mode, 20_000, perCall);
  }

  @Tag("mysql")
  @Test
  void R13_norIsItOnMySql() throws Exception {
    run(TestDatabase.MYSQL, "multi", 20_000, 500);
  }

  @Tag("soak")
  @ParameterizedTest
  @CsvSource({
    "single, 1000",
    "multi, 1000",
    "ordered-by-key, 1000",
    "single, 1",
    "multi, 1",
    "ordered-by-key, 1"
  })
  void R13_aHundredThousandEventsFit(String mode, int perCall) throws Exception {
    run(TestDatabase.POSTGRES, mode, 100_000, perCall);
  }

  private void run(TestDatabase kind, String mode, int events, int perCall) throws Exception {
    try (Scenario scenario = Scenario.orderedByKeyOn(kind)) {
      Path log = directory.resolve("log");
      int exit =
          LargeTransactionProcess.run(scenario.database, mode, events, perCall, log.toFile());

      assertThat(exit).as(() -> read(log)).isZero();
      assertThat(scenario.counts()).isEqualTo(Map.of(EventStatus.DONE, events));
    }
  }

  private static String read(Path log) {
    try {
      return Files.readString(log);
    } catch (java.io.IOException e) {
      return e.toString();
    }
  }
}
