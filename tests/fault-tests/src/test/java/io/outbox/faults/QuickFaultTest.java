package io.outbox.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.faults.node.Mode;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** R1, R2, R3: one fault of the campaign. All of them are run by {@code ./outbox faults}. */
class QuickFaultTest {

  @TempDir Path directory;

  @ParameterizedTest(name = "{0}")
  @EnumSource(Mode.class)
  void R1_R2_R3_nothingIsLostWhenANodeIsKilled(Mode mode) throws Exception {
    Result result =
        new ScenarioRun(ScenarioType.named("kill"), mode, Duration.ofMillis(1), directory).run(1);
    assertThat(result.verdict().complaints()).isEmpty();
    assertThat(result.faultCounts()).isEqualTo("1 kill");
    assertThat(result.verdict().events).isPositive();
  }
}
