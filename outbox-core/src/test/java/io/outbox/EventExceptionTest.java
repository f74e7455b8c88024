package io.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class EventExceptionTest {

  private final IOException cause = new IOException("pipe");

  @Test
  void theFamilyTellsHowAFailureIsTreated() {
    assertThat(new RecoverableException("r")).isInstanceOf(EventException.class);
    assertThat(new UnrecoverableException("u")).isInstanceOf(EventException.class);
    assertThat(new RetryAfterException(Duration.ofSeconds(1)))
        .isInstanceOf(RecoverableException.class);
    assertThat(new PayloadParseException("p")).isInstanceOf(UnrecoverableException.class);
  }

  @Test
  void messagesAndCausesAreKept() {
    assertThat(new RecoverableException("m", cause)).hasMessage("m").hasCause(cause);
    assertThat(new RecoverableException(cause)).hasMessageContaining("pipe").hasCause(cause);
    assertThat(new RecoverableException((Throwable) null)).hasMessage(null).hasNoCause();
    assertThat(new UnrecoverableException("m", cause)).hasMessage("m").hasCause(cause);
    assertThat(new UnrecoverableException(cause)).hasMessageContaining("pipe").hasCause(cause);
    assertThat(new PayloadParseException("m", cause)).hasMessage("m").hasCause(cause);
  }

  @Test
  void aRetryKnowsWhen() {
    Duration delay = Duration.ofSeconds(7);
    assertThat(new RetryAfterException(delay).retryAfter()).isEqualTo(delay);
    assertThat(new RetryAfterException(delay)).hasMessageContaining("PT7S");
    assertThat(new RetryAfterException(delay, "m")).hasMessage("m").hasNoCause();
    assertThat(new RetryAfterException(delay, cause)).hasMessageContaining("pipe").hasCause(cause);
    assertThat(new RetryAfterException(delay, (Throwable) null)).hasMessageContaining("PT7S");
    assertThat(new RetryAfterException(delay, "m", cause)).hasMessage("m").hasCause(cause);
  }

  @Test
  void aRetryIsNotInThePast() {
    assertThat(new RetryAfterException(Duration.ZERO).retryAfter()).isZero();
    assertThatThrownBy(() -> new RetryAfterException(Duration.ofMillis(-1)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatNullPointerException().isThrownBy(() -> new RetryAfterException(null));
  }
}
