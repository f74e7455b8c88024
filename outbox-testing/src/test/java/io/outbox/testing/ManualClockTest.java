package io.outbox.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import org.junit.jupiter.api.Test;

class ManualClockTest {

  @Test
  void itStandsStillUntilItIsMoved() {
    ManualClock clock = new ManualClock(Instant.EPOCH);
    assertThat(clock.instant()).isEqualTo(Instant.EPOCH);
    assertThat(clock.advance(Duration.ofSeconds(5))).isEqualTo(Instant.ofEpochSecond(5));
    clock.advance(Duration.ofSeconds(-1));
    assertThat(clock.instant()).isEqualTo(Instant.ofEpochSecond(4));
    clock.set(Instant.EPOCH);
    assertThat(clock.millis()).isZero();
  }

  @Test
  void itIsTheSameClockInAnotherZone() {
    ManualClock clock = new ManualClock();
    Clock berlin = clock.withZone(ZoneId.of("Europe/Berlin"));
    clock.advance(Duration.ofDays(1));

    assertThat(berlin.instant()).isEqualTo(clock.instant());
    assertThat(berlin.getZone()).isEqualTo(ZoneId.of("Europe/Berlin"));
  }
}
