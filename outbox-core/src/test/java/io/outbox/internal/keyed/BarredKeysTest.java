package io.outbox.internal.keyed;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.model.EventKey;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BarredKeysTest {

  private static final EventKey KEY = EventKey.named("A-17");
  private static final EventKey OTHER = EventKey.named("other");

  private final BarredKeys barred = new BarredKeys();
  private final long begun = System.nanoTime();

  private void sweepAfter(int hours) {
    barred.sweep(begun + TimeUnit.HOURS.toNanos(hours));
  }

  @Test
  void aKeyIsBarredUntilAllItsBarsAreRemoved() {
    BarredKeys.Bar first = barred.add(KEY);
    BarredKeys.Bar second = barred.add(KEY);
    first.remove();
    assertThat(barred.contains(KEY)).isTrue();
    assertThat(barred.contains(OTHER)).isFalse();
    second.remove();
    assertThat(barred.contains(KEY)).isFalse();
  }

  @Test
  void R13_ifThereAreTooManyAllAreBarred() {
    IntStream.range(0, 1_000).forEach(i -> barred.add(EventKey.named("key-" + i)));
    BarredKeys.Bar oneMore = barred.add(KEY);
    assertThat(barred.contains(OTHER)).isTrue();
    oneMore.remove();
    assertThat(barred.contains(OTHER)).isFalse();
  }

  /** A transaction may never tell how it ended. */
  @Test
  void R13_aBarThatNobodyRemovesEndsByItself() {
    barred.add(KEY);
    BarredKeys.Bar all = barred.add(null);
    sweepAfter(3);
    assertThat(barred.contains(KEY)).as("it is not old yet").isTrue();
    BarredKeys.Bar young = barred.add(OTHER);
    sweepAfter(4);
    assertThat(barred.contains(KEY)).as("it was looked at an hour ago").isTrue();
    sweepAfter(5);
    assertThat(barred.contains(KEY)).isFalse();
    assertThat(barred.contains(OTHER)).isTrue();

    all.remove(); // after all
    young.remove();
    assertThat(barred.contains(OTHER)).isFalse();
  }
}
