package io.outbox.internal.publish;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.OutageException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ConnectBackoffTest {

  private final AtomicLong nanos = new AtomicLong();
  private final ConnectBackoff backoff =
      new ConnectBackoff("a broker", System.getLogger("test"), nanos::get);

  @Test
  void theFirstAttemptDoesNotWait() {
    assertThat(backoff.tooEarly()).isNull();
  }

  @Test
  void everyFailureDoublesThePauseUpToTwoSeconds() {
    for (long millis : new long[] {100, 200, 400, 800, 1600, 2000, 2000}) {
      OutageException failure = backoff.failed(new OutageException("down"));
      pass(millis - 1);
      assertThat(backoff.tooEarly()).isSameAs(failure);
      pass(1);
      assertThat(backoff.tooEarly()).isNull();
    }
  }

  @Test
  void aConnectionEndsThePause() {
    backoff.failed(new OutageException("down"));
    backoff.failed(new OutageException("down"));
    backoff.connected();
    assertThat(backoff.tooEarly()).isNull();
    backoff.failed(new OutageException("down"));
    pass(100);
    assertThat(backoff.tooEarly()).isNull();
  }

  private void pass(long millis) {
    nanos.addAndGet(Duration.ofMillis(millis).toNanos());
  }
}
