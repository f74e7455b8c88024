package io.outbox.console.internal.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.console.ConsoleRole;
import io.outbox.console.ConsoleUser;
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
  void wrongSecretsMakeTheNextOneOfTheirAddressWait() {
    for (int i = 0; i < FailedLogins.FREE; i++) {
      assertThat(failures.delay("10.0.0.1")).isZero();
      failures.count("10.0.0.1");
    }

    assertThat(failures.delay("10.0.0.1")).isEqualTo(Duration.ofMillis(250));
    failures.count("10.0.0.1");
    assertThat(failures.delay("10.0.0.1")).isEqualTo(Duration.ofMillis(500));
    for (int i = 0; i < 100_000; i++) {
      failures.count("10.0.0.1");
    }
    assertThat(failures.delay("10.0.0.1")).isEqualTo(FailedLogins.LONGEST);
    assertThat(failures.delay("10.0.0.2")).isZero();

    now = now.plus(FailedLogins.WINDOW).plus(Duration.ofMillis(1));
    assertThat(failures.delay("10.0.0.1")).isZero();
  }

  @Test
  void manyAddressesAreNotRememberedForEver() {
    for (int i = 0; i < 5_000; i++) {
      for (int j = 0; j < FailedLogins.FREE; j++) {
        failures.count("10.0." + i / 250 + "." + i % 250);
      }
    }

    assertThat(failures.delay("10.0.0.0")).isZero();
    assertThat(failures.delay("10.0.19.249")).isPositive();
  }
}
