package io.outbox.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ChecksTest {

  private static final Duration FOR_EVER = Duration.ofSeconds(Long.MAX_VALUE);

  @Test
  void R17_aNumberBelowItsMinimumIsNamedWithIt() {
    assertThat(Checks.atLeast(1, "size", 1)).isEqualTo(1);
    assertThat(Checks.atLeast(1L, "size", Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Checks.atLeast(1, "size", 0))
        .withMessage("size must be at least 1, but is 0");
  }

  @Test
  void R17_aDurationThatArithmeticCannotTakeIsRefused() {
    assertThat(Checks.notNegative("age", Duration.ZERO)).isZero();
    assertThat(Checks.notNegative("age", Duration.ofDays(36_500))).isPositive();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Checks.notNegative("age", Duration.ofNanos(-1)))
        .withMessageContaining("age must not be negative");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Checks.notNegative("age", FOR_EVER))
        .withMessageContaining("age must be at most 36500 days");
    assertThatNullPointerException().isThrownBy(() -> Checks.notNegative("age", null));
  }

  @Test
  void R17_aClaimTimeoutNeedsRoomForRenewals() {
    assertThat(Checks.claimTimeout(Duration.ofMillis(100))).isPositive();
    assertThat(Checks.claimTimeout(Duration.ofDays(365))).isPositive();
    for (Duration wrong :
        new Duration[] {Duration.ZERO, Duration.ofMillis(99), Duration.ofSeconds(-1), FOR_EVER}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> Checks.claimTimeout(wrong))
          .withMessageContaining("the claim timeout must");
    }
    assertThatNullPointerException().isThrownBy(() -> Checks.claimTimeout(null));
  }

  @Test
  void R17_whatIsRequiredSaysWhatIsMissing() {
    assertThat(Checks.required("store", "it")).isEqualTo("it");
    assertThatNullPointerException()
        .isThrownBy(() -> Checks.required("store", null))
        .withMessageContaining("store is required");
  }
}
