package io.outbox.testing.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/** The first extension is asked last: it finds the report of the second. */
@ExtendWith({RuleReportTest.Reader.class, RuleReport.class})
class RuleReportTest {

  static final class Reader implements AfterAllCallback {
    @Override
    public void afterAll(ExtensionContext context) throws IOException {
      List<String> report =
          Files.readAllLines(
              Path.of("target/delivery-rules", RuleReportTest.class.getName() + ".md"));
      assertThat(report)
          .contains(
              "| R1 | shown | R1_R2_isShown |",
              "| R2 | shown | R1_R2_isShown<br>R2_isNotApplicable (there is no such thing) |",
              "| R3 | not tested here |  |",
              "| other | shown | isAboutNoRule |");
    }
  }

  @Test
  void R1_R2_isShown() {
    assertThat(true).isTrue();
  }

  @Test
  void R2_isNotApplicable() {
    assumeTrue(false, "there is no such thing");
  }

  @Test
  void isAboutNoRule() {
    assertThat(true).isTrue();
  }
}
