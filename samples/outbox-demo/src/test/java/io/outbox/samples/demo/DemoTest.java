package io.outbox.samples.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.model.EventStatus;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DemoTest {

  /** The demo lets an event die, which is logged as an error. */
  private static final Logger LIBRARY_LOG = Logger.getLogger("io.outbox");

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private Map<EventStatus, Integer> counts;

  @BeforeEach
  void silenceTheLibrary() {
    LIBRARY_LOG.setLevel(Level.OFF);
  }

  @AfterEach
  void restoreTheLog() {
    LIBRARY_LOG.setLevel(null);
  }

  @Test
  void theStoryIsTrue() throws Exception {
    String story = tell(false);

    // 501 orders, a receipt, a reminder, a payment and the backlog; the rolled back one is not
    // there
    assertThat(counts).containsOnly(Map.entry(EventStatus.DONE, 501 + 3 + 5_000));
    assertThat(story)
        .containsPattern("attempt 1 +fails")
        .containsPattern("attempt 2 +fails")
        .containsPattern("attempt 3 +succeeds")
        .containsPattern("rolled back +no order, no event")
        .containsPattern("onDead was called +.*unknown currency CHF")
        .containsPattern("DeadEventManager +finds \\w{26}, DEAD")
        .containsPattern("delivered once each +5,000 events in ")
        .containsPattern("DONE +5,504 +p95 +[\\d.,]+ ms")
        .containsPattern("DEAD +0 +over 500 events");
    assertThat(story.lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(100));
  }

  @Test
  void onlyATerminalGetsColours() {
    PrintStream stream = new PrintStream(out, true, StandardCharsets.UTF_8);
    new Narrator(stream, false).chapter("One");
    assertThat(text()).doesNotContain("\u001b");
    new Narrator(stream, true).chapter("One");
    assertThat(text()).contains("\u001b[1m1. One\u001b[0m");
  }

  @Test
  void aPromiseThatIsNotKeptSaysWhich() {
    assertThatThrownBy(() -> Promise.that(false, "pigs fly"))
        .isInstanceOf(BrokenPromiseException.class)
        .hasMessage("it was told that pigs fly; it is not so");
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> Promise.next(new LinkedBlockingQueue<>(), "an event comes"))
        .isInstanceOf(InterruptedException.class);
  }

  @Test
  void percentilesAreThoseOfTheRecordedTimes() {
    Latencies latencies = new Latencies();
    for (int i = 100; i >= 1; i--) {
      latencies.add(i);
    }
    assertThat(latencies.percentile(50)).isEqualTo(50);
    assertThat(latencies.percentile(95)).isEqualTo(95);
    assertThat(latencies.percentile(100)).isEqualTo(100);
  }

  private String tell(boolean colour) throws Exception {
    counts = Demo.tell(new PrintStream(out, true, StandardCharsets.UTF_8), colour);
    return text();
  }

  private String text() {
    return out.toString(StandardCharsets.UTF_8);
  }
}
