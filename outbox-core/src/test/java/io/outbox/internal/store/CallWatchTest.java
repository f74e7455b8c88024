package io.outbox.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.internal.Conditions;
import io.outbox.operate.Condition;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** R18: every database call of the engine has a bound. */
@Timeout(120)
class CallWatchTest {

  private final Conditions conditions = new Conditions(Instant::now);
  private final CallWatch calls = new CallWatch(conditions);

  @Test
  void R18_anAnswerComesOrFailsBeforeTheLeaseEnds() {
    assertThat(calls.bound()).isEqualTo(Duration.ofSeconds(30));
    assertThat(calls.answer()).isLessThan(calls.bound());
    for (int seconds : new int[] {2, 15, 29}) {
      Duration lease = Duration.ofSeconds(seconds);
      calls.under(lease);
      assertThat(calls.bound()).isEqualTo(lease);
      assertThat(calls.answer()).isLessThan(lease);
    }
    calls.under(Duration.ofMinutes(5));
    assertThat(calls.bound()).isEqualTo(Duration.ofSeconds(30));
    calls.under(Duration.ofMillis(100));
    assertThat(calls.answer()).isEqualTo(Duration.ofSeconds(1));
  }

  /** A renewal begins before the half of a lease, and another one begins when it fails. */
  @Test
  void R18_aRenewalHasTimeForASecondTry() {
    for (int seconds : new int[] {6, 15, 30, 300}) {
      Duration lease = Duration.ofSeconds(seconds);
      calls.under(lease);
      assertThat(calls.answer(lease)).isLessThanOrEqualTo(lease.dividedBy(3));
      assertThat(calls.answer(lease)).isLessThanOrEqualTo(calls.answer());
    }
    calls.under(Duration.ofMillis(100));
    assertThat(calls.answer(Duration.ofMillis(100))).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void R18_aCallThatDoesNotComeBackIsSaidUntilItDoes() {
    calls.under(Duration.ofSeconds(4));
    Object call = calls.begin();
    assertThat(calls.isStuck()).isFalse();
    assertThat(conditions.list()).isEmpty();
    await().until(calls::isStuck);
    assertThat(conditions.list())
        .singleElement()
        .satisfies(
            condition -> {
              assertThat(condition.kind()).isEqualTo(Condition.Kind.CANNOT_WORK);
              assertThat(condition.message()).contains("4000 ms", "connection pool");
            });
    calls.end(call);
    assertThat(calls.isStuck()).isFalse();
    assertThat(conditions.list()).isEmpty();
  }

  @Test
  void R18_aCallOfAnotherPartOfTheNodeCountsToo() {
    CallWatch other = new CallWatch(new Conditions(Instant::now));
    calls.under(Duration.ofSeconds(1)).include(other);
    Object call = other.begin();
    await().until(calls::isStuck);
    other.end(call);
    assertThat(calls.isStuck()).isFalse();
  }
}
