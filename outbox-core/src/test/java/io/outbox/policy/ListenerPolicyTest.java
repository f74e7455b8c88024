package io.outbox.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class ListenerPolicyTest {

  private static final EventEnvelope EVENT = EventEnvelope.ofJson("T", "{}");

  private final EventListener listener = event -> DispatchResult.dead("called");

  @Test
  void aPolicyLeavesEverythingOpenToBeginWith() {
    ListenerPolicy policy = ListenerPolicy.builder().build();

    assertThat(policy.maxAttempts()).isEmpty();
    assertThat(policy.maxAge()).isEmpty();
    assertThat(policy.retryPolicy()).isEmpty();
    assertThat(policy.neverRetried()).isEmpty();
    assertThat(policy.alwaysRetried()).isEmpty();
    assertThat(policy.timeout()).isEmpty();
    assertThat(policy.concurrency()).isEmpty();
    assertThat(policy.rateLimit()).isEmpty();
    assertThat(policy.fallback()).isEmpty();
    assertThat(policy).hasToString("ListenerPolicy[]");
  }

  @Test
  void laterChangesOfABuilderDoNotAffectAPolicy() {
    ListenerPolicy.Builder builder = ListenerPolicy.builder().maxAttempts(2);
    ListenerPolicy policy = builder.build();
    builder.maxAttempts(3).retryNever(IOException.class);
    ListenerPolicy other = policy.toBuilder().concurrency(4).build();

    assertThat(policy).hasToString("ListenerPolicy[maxAttempts=2]");
    assertThat(other).hasToString("ListenerPolicy[maxAttempts=2, concurrency=4]");
  }

  @Test
  void aPolicySaysWhatIsSet() {
    ListenerPolicy policy =
        ListenerPolicy.builder()
            .maxAge(Duration.ofHours(1))
            .retryPolicy(n -> 1)
            .retryNever(IOException.class)
            .retryAlways(IllegalStateException.class)
            .timeout(Duration.ofSeconds(1))
            .rateLimit(10, Duration.ofSeconds(1))
            .fallback((event, reason) -> {})
            .build();

    assertThat(policy)
        .hasToString(
            "ListenerPolicy[maxAge=PT1H, retryPolicy=own, retryNever=IOException,"
                + " retryAlways=IllegalStateException, timeout=PT1S, rateLimit=10 per PT1S,"
                + " fallback=yes]");
  }

  @Test
  void R17_valuesWithoutAMeaningAreRefused() {
    ListenerPolicy.Builder builder = ListenerPolicy.builder().retryNever(IOException.class);

    assertThatIllegalArgumentException().isThrownBy(() -> builder.maxAttempts(0));
    assertThatIllegalArgumentException().isThrownBy(() -> builder.concurrency(0));
    assertThatIllegalArgumentException().isThrownBy(() -> builder.maxAge(Duration.ZERO));
    assertThatIllegalArgumentException().isThrownBy(() -> builder.timeout(Duration.ZERO));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> builder.rateLimit(0, Duration.ofSeconds(1)));
    assertThatIllegalArgumentException().isThrownBy(() -> builder.rateLimit(1, Duration.ZERO));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> builder.rateLimit(10_001, Duration.ofSeconds(1)))
        .withMessageContaining("shorter period");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> builder.retryAlways(IOException.class))
        .withMessageContaining("both always and never");
  }

  @Test
  void callersThatKnowNothingOfPoliciesReachTheListener() throws Exception {
    ListenerPolicy policy = ListenerPolicy.builder().build();

    assertThat(policy.around(listener).onEvent(EVENT)).isEqualTo(DispatchResult.dead("called"));
    assertThat(
            policy
                .aroundAsync(event -> CompletableFuture.completedFuture(DispatchResult.done()))
                .onEvent(EVENT))
        .isEqualTo(DispatchResult.done());
  }

  @Test
  void aListenerHasOnePolicy() {
    ListenerPolicy policy = ListenerPolicy.builder().build();
    EventListener policed = policy.around(listener);

    assertThatIllegalArgumentException()
        .isThrownBy(() -> policy.around(policed))
        .withMessageContaining("has a policy already");
  }
}
