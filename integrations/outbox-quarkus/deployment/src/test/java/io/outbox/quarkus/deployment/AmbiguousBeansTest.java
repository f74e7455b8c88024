package io.outbox.quarkus.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.dispatch.RetryPolicy;
import io.quarkus.test.QuarkusUnitTest;
import jakarta.inject.Singleton;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Of two beans that the outbox can do without, none is chosen, and none is ignored. */
class AmbiguousBeansTest {

  @RegisterExtension
  static final QuarkusUnitTest APPLICATION =
      new QuarkusUnitTest()
          .withConfigurationResource("shop.properties")
          .overrideConfigKey("quarkus.datasource.jdbc.url", "jdbc:h2:mem:ambiguous")
          .assertException(
              failure ->
                  assertThat(failure)
                      .hasStackTraceContaining("The outbox takes one RetryPolicy")
                      .hasStackTraceContaining(Slow.class.getName())
                      .hasStackTraceContaining(Fast.class.getName())
                      .hasStackTraceContaining("Remove all but one"));

  @Singleton
  static class Slow implements RetryPolicy {
    @Override
    public long computeDelayMs(int attempts) {
      return 60_000;
    }
  }

  @Singleton
  static class Fast implements RetryPolicy {
    @Override
    public long computeDelayMs(int attempts) {
      return 1;
    }
  }

  @Test
  void theApplicationDoesNotStart() {}
}
