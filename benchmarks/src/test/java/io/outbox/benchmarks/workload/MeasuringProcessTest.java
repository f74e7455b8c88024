package io.outbox.benchmarks.workload;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.benchmarks.contestant.Entry;
import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class MeasuringProcessTest {

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "MEMORY_LARGE")
  void every_workload_is_measured_to_its_end(Workload workload) {
    try (Database database = TestDatabase.POSTGRES.fresh()) {
      Measurement measurement =
          MeasuringProcess.measure(
              new Assignment(
                  Entry.SINGLE_NODE,
                  workload,
                  TestDatabase.POSTGRES,
                  List.of(database.jdbcUrl()),
                  database.user(),
                  database.password(),
                  0,
                  0,
                  100,
                  1,
                  30,
                  200,
                  1,
                  Assignment.CALM_PER_SECOND));

      assertThat(measurement.failure()).isNull();
      assertThat(measurement.rate()).isPositive();
      assertThat(measurement.missing()).isZero();
      assertThat(measurement.repeated()).isZero();
      assertThat(measurement.latency() != null).isEqualTo(workload == Workload.LATENCY);
    }
  }

  @Test
  void a_contestant_that_fails_says_why() {
    Measurement measurement =
        MeasuringProcess.measure(
            new Assignment(
                Entry.GRUELBOX,
                Workload.GROWTH,
                TestDatabase.H2,
                List.of("jdbc:h2:mem:fails;DB_CLOSE_DELAY=-1"),
                "sa",
                "",
                0,
                0,
                10,
                1,
                1,
                10,
                1,
                Assignment.CALM_PER_SECOND));

    assertThat(measurement.failure()).contains("keeps no finished events");
  }
}
