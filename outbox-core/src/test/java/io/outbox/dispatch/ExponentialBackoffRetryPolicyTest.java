package io.outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.LongSummaryStatistics;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ExponentialBackoffRetryPolicyTest {

  private final RetryPolicy policy = new ExponentialBackoffRetryPolicy(200, 60_000);

  private static LongSummaryStatistics delays(RetryPolicy policy, int attempts) {
    return LongStream.range(0, 2_000).map(i -> policy.computeDelayMs(attempts)).summaryStatistics();
  }

  @ParameterizedTest(name = "after {0} failures about {1} ms")
  @CsvSource({
    "1, 200",
    "2, 400",
    "3, 800",
    "4, 1600",
    "8, 25600",
    "9, 51200",
    "10, 60000",
    "11, 60000",
    "63, 60000",
    "64, 60000",
    "65, 60000",
    "1000, 60000",
    "2147483647, 60000"
  })
  void theDelayDoublesUpToAMaximumAndVariesByHalf(int attempts, long expected) {
    LongSummaryStatistics delays = delays(policy, attempts);

    assertThat(delays.getMin()).isBetween(expected / 2, expected * 6 / 10);
    assertThat(delays.getMax()).isBetween(expected * 14 / 10, expected * 3 / 2);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1})
  void beforeTheFirstFailureItIsTheBase(int attempts) {
    assertThat(delays(policy, attempts).getMax()).isLessThanOrEqualTo(300);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 3, 1L << 40, Long.MAX_VALUE / 2, Long.MAX_VALUE})
  void noBaseOverflows(long base) {
    RetryPolicy huge = new ExponentialBackoffRetryPolicy(base, Long.MAX_VALUE);
    for (int attempts = 1; attempts < 70; attempts++) {
      assertThat(huge.computeDelayMs(attempts)).isGreaterThanOrEqualTo(base / 2);
    }
  }

  @Test
  void R17_wrongBoundsAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new ExponentialBackoffRetryPolicy(0, 10))
        .withMessageContaining("baseDelayMs");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new ExponentialBackoffRetryPolicy(10, 9))
        .withMessageContaining("maxDelayMs");
  }
}
