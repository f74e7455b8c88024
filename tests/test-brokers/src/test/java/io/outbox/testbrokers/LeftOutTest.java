package io.outbox.testbrokers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.TestAbortedException;

class LeftOutTest {

  @TempDir Path directory;

  @Test
  void aTestWithoutABrokerIsSkippedWithAReasonThatTheBuildShows() {
    RuntimeException end = LeftOut.because("Nobody", "there is none", null, directory);

    assertThat(end)
        .isInstanceOf(TestAbortedException.class)
        .hasMessage("Nobody: left out, there is none");
    assertThat(directory.resolve("nobody.txt"))
        .content()
        .isEqualToIgnoringNewLines("Nobody: left out, there is none");
  }

  @Test
  void whereAllBrokersAreRequiredItIsAFailure() {
    assertThatThrownBy(() -> LeftOut.because("Nobody", "there is none", "true", directory))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("Nobody: left out, there is none");
  }
}
