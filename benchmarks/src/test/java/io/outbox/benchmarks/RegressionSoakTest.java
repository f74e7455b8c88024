package io.outbox.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A short comparison with an earlier version, by turns: {@code outbox.bench.compare} names a
 * commit, else it is the newest tag, else a commit of some time ago. Fails only if all rounds
 * agree, and the difference is more than a tenth.
 */
@Tag("soak")
class RegressionSoakTest {

  private static final int MINUTES = 30;
  private static final Path ROOT = Path.of("").toAbsolutePath().getParent();

  @Test
  void no_mode_is_much_slower_than_it_was() throws Exception {
    Path log = Files.createTempFile("outbox-bench", ".log");
    int exit =
        run(
            log,
            ROOT.resolve("outbox").toString(),
            "bench",
            "--compare",
            commit(),
            "--at-least",
            "90",
            "--contestants",
            "single-node,multi-node,ordered-by-key",
            "--workloads",
            "drain,latency",
            "--events",
            "30000",
            "--seconds",
            "3",
            "--rounds",
            Integer.toString(Comparison.FEWEST_ROUNDS));
    String said = Files.readString(log);
    assertThat(exit).as(said).isZero();
    assertThat(said).contains("This version beside another one").doesNotContain("FAILED");
    Files.delete(log);
  }

  private static String commit() throws Exception {
    String named = System.getProperty("outbox.bench.compare");
    if (named != null) {
      return named;
    }
    Path answer = Files.createTempFile("outbox-bench", ".txt");
    for (List<String> question :
        List.of(
            List.of("git", "describe", "--tags", "--abbrev=0", "HEAD~1"),
            List.of("git", "rev-parse", "HEAD~30"))) {
      if (run(answer, question.toArray(String[]::new)) == 0) {
        return Files.readString(answer).strip();
      }
    }
    throw new IllegalStateException("there is no earlier version: " + Files.readString(answer));
  }

  private static int run(Path output, String... command) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command)
            .directory(ROOT.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    if (!process.waitFor(MINUTES, TimeUnit.MINUTES)) {
      process.descendants().forEach(ProcessHandle::destroy);
      process.destroy();
      throw new AssertionError(
          "did not end: " + new String(Files.readAllBytes(output), StandardCharsets.UTF_8));
    }
    return process.exitValue();
  }
}
