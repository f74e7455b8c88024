package io.outbox.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.operate.Count;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WordsTest {

  @Test
  void aCountSaysHowExactItIs() {
    assertThat(Words.count(Count.exactly(1234))).isEqualTo("1,234");
    assertThat(Words.count(Count.atLeast(1000))).isEqualTo("at least 1,000");
    assertThat(Words.count(Count.about(250_000))).isEqualTo("about 250,000");
    assertThat(Words.events(1)).isEqualTo("1 event");
    assertThat(Words.events(Count.exactly(2))).isEqualTo("2 events");
  }

  @ParameterizedTest
  @CsvSource({
    "PT0S, 0 s",
    "PT1.5S, 1500 ms",
    "PT90S, 90 s",
    "PT3M5S, 3 min 5 s",
    "PT5H7M, 5 h 7 min",
    "P3DT4H, 3 d 4 h",
    "PT-90S, -90 s"
  })
  void aDurationIsReadable(Duration duration, String words) {
    assertThat(Words.duration(duration)).isEqualTo(words);
  }

  @Test
  void timesAreUtc() {
    assertThat(Words.time(Instant.parse("2026-03-01T12:30:00.5Z")))
        .isEqualTo("2026-03-01 12:30:00Z");
    assertThat(Words.time(null)).isEmpty();
  }
}
