package io.outbox.cli;

import static org.awaitility.Awaitility.await;

import io.outbox.cli.output.Output;
import io.outbox.cli.output.Progress;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ProgressTest {

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final PrintStream stream = new PrintStream(bytes, true, StandardCharsets.UTF_8);

  private Progress progress(long total) {
    return new Output(stream, stream, FakeTerminal.screen(100), false, false)
        .progress("purge", total);
  }

  private void awaitText(Progress progress, String text) {
    await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () -> {
              progress.at(12, 40_000);
              return bytes.toString(StandardCharsets.UTF_8).contains(text);
            });
  }

  @Test
  void whoDoesNotKnowTheTotalSeesHowManyRowsWereLookedAt() {
    awaitText(progress(0), "purge 12 (40,000 rows looked at)  ");
  }

  @Test
  void whoKnowsTheTotalSeesABar() {
    awaitText(progress(24), "purge [###############...............] 12 of 24  ");
  }
}
