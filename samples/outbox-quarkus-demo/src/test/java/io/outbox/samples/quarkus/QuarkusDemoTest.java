package io.outbox.samples.quarkus;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class QuarkusDemoTest {

  /** As {@code ./outbox sample quarkus} starts it. */
  @Test
  void theStoryIsTrue() throws Exception {
    File output = File.createTempFile("quarkus-demo", ".txt");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-jar",
                "target/quarkus-app/quarkus-run.jar")
            .redirectErrorStream(true)
            .redirectOutput(output)
            .start();
    assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
    String story = Files.readString(output.toPath(), StandardCharsets.UTF_8);
    assertThat(output.delete()).isTrue();

    assertThat(process.exitValue()).as(story).isZero();
    assertThat(story)
        .containsPattern("delivered +A-1")
        .containsPattern("rolled back +A-2")
        .containsPattern("(?s)delivered +B-2.*delivered +B-1")
        .containsPattern("timed out +C-1")
        .contains("3 orders committed, 3 events delivered, once each.");
    assertThat(story.lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(100));
  }
}
