package io.outbox.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.faults.node.Mode;
import io.outbox.faults.server.Program;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MissingProgramTest {

  private static final ScenarioType NEEDY =
      new ScenarioType(
          "needy",
          "needs what is not there",
          List.of(new Program("no-such-package", List.of("/no/such/file"))),
          () -> {
            throw new AssertionError("it was opened");
          });

  @TempDir Path directory;

  @Test
  void isSaidWithTheCommandThatInstallsIt() {
    assertThat(NEEDY.missing())
        .isEqualTo("needs no-such-package (apt-get install no-such-package)");
  }

  @Test
  void isAFailureOnlyIfEverythingIsRequired() throws Exception {
    assertThat(run(false)).isTrue();
    assertThat(run(true)).isFalse();
  }

  private boolean run(boolean require) throws Exception {
    CampaignOptions options =
        new CampaignOptions(
            List.of(NEEDY), List.of(Mode.MULTI_NODE), Duration.ofSeconds(1), require, false);
    return new FaultCampaign(options, directory).run();
  }
}
