package io.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class DispatchResultTest {

  @Test
  void thereAreThree() {
    assertThat(DispatchResult.class.getPermittedSubclasses())
        .containsExactlyInAnyOrder(
            DispatchResult.Done.class, DispatchResult.RetryAfter.class, DispatchResult.Dead.class);
  }

  @Test
  void resultsAreValues() {
    assertThat(DispatchResult.done()).isEqualTo(new DispatchResult.Done());
    assertThat(DispatchResult.retryAfter(Duration.ofSeconds(3)))
        .isEqualTo(new DispatchResult.RetryAfter(Duration.ofSeconds(3)));
    assertThat(DispatchResult.dead("why").reason()).isEqualTo("why");
    assertThat(DispatchResult.dead().reason()).isNull();
  }

  @Test
  void aDelayIsNotNegative() {
    assertThat(DispatchResult.retryAfter(Duration.ZERO).delay()).isZero();
    assertThatThrownBy(() -> DispatchResult.retryAfter(Duration.ofMillis(-1)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatNullPointerException().isThrownBy(() -> DispatchResult.retryAfter(null));
  }
}
