package io.outbox.testing;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RecordingMetricsTest {

  @Test
  void everythingIsCountedByItself() {
    RecordingMetrics metrics = new RecordingMetrics();
    times(1, metrics::incrementHotEnqueued);
    times(2, metrics::incrementHotDropped);
    times(3, metrics::incrementColdEnqueued);
    times(4, metrics::incrementDispatchSuccess);
    times(5, metrics::incrementDispatchFailure);
    times(6, metrics::incrementDispatchDead);
    times(7, metrics::incrementDispatchDeferred);
    times(8, metrics::incrementHotSkippedDelayed);
    times(12, metrics::incrementDispatchHeldBack);
    times(13, metrics::incrementHotSkippedPaused);
    times(14, metrics::incrementHotSkippedOutage);
    metrics.recordQueueDepths(9, 10);
    metrics.recordOldestLagMs(11);

    assertThat(metrics.hotDepth()).isEqualTo(9);
    assertThat(metrics.coldDepth()).isEqualTo(10);
    assertThat(metrics.oldestLagMs()).isEqualTo(11);
    assertThat(metrics.outcomes()).isEqualTo(34);
    assertThat(metrics)
        .hasToString(
            "hot 1 (dropped 2, delayed 8, paused 13, outage 14), cold 3, done 4, retry 5, dead 6,"
                + " deferred 7, held back 12");
  }

  private static void times(int times, Runnable action) {
    for (int i = 0; i < times; i++) {
      action.run();
    }
  }
}
