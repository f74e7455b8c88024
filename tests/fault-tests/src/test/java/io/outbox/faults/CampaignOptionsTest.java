package io.outbox.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.faults.node.Mode;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class CampaignOptionsTest {

  @Test
  void runsEverythingInBothModesIfNothingIsSaid() {
    CampaignOptions options = CampaignOptions.parse();
    assertThat(options.scenarios()).isEqualTo(ScenarioType.ALL);
    assertThat(options.modes()).containsExactly(Mode.values());
    assertThat(options.perRun()).isEqualTo(Duration.ofMinutes(1));
    assertThat(options.require()).isFalse();
  }

  @Test
  void takesScenariosTheirTimeAndTheirMode() {
    CampaignOptions options =
        CampaignOptions.parse(
            "kill", "cut", "--minutes", "2.5", "--mode", "multiNode", "--require");
    assertThat(options.scenarios()).extracting(ScenarioType::name).containsExactly("kill", "cut");
    assertThat(options.modes()).containsExactly(Mode.MULTI_NODE);
    assertThat(options.perRun()).isEqualTo(Duration.ofSeconds(150));
    assertThat(options.require()).isTrue();
  }

  @Test
  void leavesOutWhatIsNotWanted() {
    assertThat(CampaignOptions.parse("--except", "rolling", "--except", "kill").scenarios())
        .hasSize(ScenarioType.ALL.size() - 2)
        .doesNotContain(ScenarioType.named("rolling"), ScenarioType.named("kill"));
  }

  @Test
  void saysWhatIsWrong() {
    assertThatThrownBy(() -> CampaignOptions.parse("kil"))
        .hasMessageContaining("no scenario \"kil\"")
        .hasMessageContaining("kill, stop");
    assertThatThrownBy(() -> CampaignOptions.parse("--minute", "1"))
        .hasMessageContaining("unknown option --minute");
    assertThatThrownBy(() -> CampaignOptions.parse("--minutes", "-1"))
        .hasMessageContaining("--minutes -1");
    assertThatThrownBy(() -> CampaignOptions.parse("--minutes")).hasMessageContaining("a value");
  }
}
