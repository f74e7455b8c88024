package io.outbox.internal.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class StandstillClockTest {

  private long nanos = 17;
  private long millis = 1_000_000;
  private final StandstillClock clock = new StandstillClock(() -> nanos, () -> millis);

  private void pass(long byNanoTime, long byTimeOfDay) {
    nanos += TimeUnit.MILLISECONDS.toNanos(byNanoTime);
    millis += byTimeOfDay;
  }

  private long millisBy(Runnable change) {
    long before = clock.getAsLong();
    change.run();
    return TimeUnit.NANOSECONDS.toMillis(clock.getAsLong() - before);
  }

  @Test
  void timePassesAsEverywhere() {
    assertThat(millisBy(() -> pass(250, 250))).isEqualTo(250);
  }

  @Test
  void aStandstillCounts() {
    assertThat(millisBy(() -> pass(10, 20_000))).isEqualTo(20_000);
    assertThat(millisBy(() -> pass(100, 100))).isEqualTo(100);
  }

  @Test
  void aTimeOfDayThatIsSetBackChangesNothing() {
    assertThat(millisBy(() -> pass(0, 3_600_000))).isEqualTo(3_600_000);
    assertThat(millisBy(() -> pass(100, -3_600_000))).isEqualTo(100);
    assertThat(millisBy(() -> pass(100, 100))).isEqualTo(100);
  }
}
