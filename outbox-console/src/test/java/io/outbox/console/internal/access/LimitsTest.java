package io.outbox.console.internal.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.console.ConsoleRole;
import io.outbox.console.ConsoleUser;
import io.outbox.console.internal.http.HttpFailure;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Sessions and failed logins are bounded, in number and in time. */
class LimitsTest {

  private static final ConsoleUser ANN = new ConsoleUser("ann", ConsoleRole.OPERATOR);

  private Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private final Sessions sessions = new Sessions(() -> now);
  private final FailedLogins failures = new FailedLogins(() -> now);

  @Test
  void aSessionEnds() {
    String id = sessions.open(ANN);
    now = now.plus(Sessions.LIFETIME);
    assertThat(sessions.userOf(id)).contains(ANN);

    now = now.plusMillis(1);
    assertThat(sessions.userOf(id)).isEmpty();
  }

  @Test
  void theSessionThatWasIdleForLongestGivesWay() {
    String first = sessions.open(ANN);
    String second = sessions.open(ANN);
    for (int i = 2; i < Sessions.MAX; i++) {
      sessions.open(ANN);
    }
    assertThat(sessions.userOf(first)).isPresent();

    sessions.open(ANN);

    assertThat(sessions.userOf(first)).isPresent();
    assertThat(sessions.userOf(second)).isEmpty();
  }

  @Test
  void afterAWhileOneMayTryAgain() {
    for (int i = 0; i < FailedLogins.PER_ADDRESS; i++) {
      failures.check("10.0.0.1");
      failures.count("10.0.0.1");
    }
    assertThatThrownBy(() -> failures.check("10.0.0.1")).isInstanceOf(HttpFailure.class);
    assertThatCode(() -> failures.check("10.0.0.2")).doesNotThrowAnyException();

    now = now.plus(FailedLogins.WINDOW).plus(Duration.ofMillis(1));
    assertThatCode(() -> failures.check("10.0.0.1")).doesNotThrowAnyException();
  }

  @Test
  void manyAddressesTogetherAreStoppedToo() {
    for (int i = 0; i < FailedLogins.IN_ALL; i++) {
      failures.count("10.0.0." + i);
    }

    assertThatThrownBy(() -> failures.check("10.0.1.1")).isInstanceOf(HttpFailure.class);
  }
}
