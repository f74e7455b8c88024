package io.outbox.relay;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A database that hangs does not take the threads of the relay's server with it. */
@Timeout(120)
class SharedLookTest {

  private final AtomicLong now = new AtomicLong();
  private final AtomicInteger looks = new AtomicInteger();
  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch answer = new CountDownLatch(1);
  private volatile boolean hangs;
  private final SharedLook<String> health = new SharedLook<>(this::look, () -> "unknown", now::get);

  private String look() {
    if (hangs) {
      begun.countDown();
      try {
        assertThat(answer.await(60, TimeUnit.SECONDS)).isTrue();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
    return "look " + looks.incrementAndGet();
  }

  @Test
  void aLookServesAllWithinASecond() {
    assertThat(health.get()).isEqualTo("look 1");
    now.addAndGet(Duration.ofMillis(999).toNanos());
    assertThat(health.get()).isEqualTo("look 1");
    now.addAndGet(Duration.ofMillis(2).toNanos());
    assertThat(health.get()).isEqualTo("look 2");
  }

  @Test
  void whileALookTakesLongOthersGetTheLastAndThenThatNothingIsKnown() throws Exception {
    assertThat(health.get()).isEqualTo("look 1");
    now.addAndGet(Duration.ofSeconds(2).toNanos());
    hangs = true;
    CompletableFuture<String> slow = CompletableFuture.supplyAsync(health::get);
    assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();

    assertThat(health.get()).isEqualTo("look 1");
    now.addAndGet(Duration.ofSeconds(9).toNanos());
    assertThat(health.get()).isEqualTo("unknown");

    hangs = false;
    answer.countDown();
    assertThat(slow.get(60, TimeUnit.SECONDS)).isEqualTo("look 2");
    assertThat(health.get()).isEqualTo("look 2");
  }

  @Test
  void whoAsksDuringTheFirstLookDoesNotWait() throws Exception {
    hangs = true;
    CompletableFuture<String> slow = CompletableFuture.supplyAsync(health::get);
    assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();

    assertThat(health.get()).isEqualTo("unknown");
    answer.countDown();
    assertThat(slow.get(60, TimeUnit.SECONDS)).isEqualTo("look 1");
  }
}
