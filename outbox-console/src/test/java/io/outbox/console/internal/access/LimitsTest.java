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
      assertThat(failures.takeTurn("10.0.0.1")).contains(Duration.ZERO);
      failures.count("10.0.0.1");
    }

    assertThat(failures.takeTurn("10.0.0.1")).contains(Duration.ofMillis(250));
    now = now.plusMillis(250);
    failures.count("10.0.0.1");
    assertThat(failures.takeTurn("10.0.0.1")).contains(Duration.ofMillis(500));
    now = now.plusMillis(500);
    for (int i = 0; i < 100_000; i++) {
      failures.count("10.0.0.1");
    }
    assertThat(failures.takeTurn("10.0.0.1")).contains(FailedLogins.LONGEST);
    assertThat(failures.takeTurn("10.0.0.2")).contains(Duration.ZERO);

    now = now.plus(FailedLogins.WINDOW).plus(Duration.ofMillis(1));
    assertThat(failures.takeTurn("10.0.0.1")).contains(Duration.ZERO);
  }

  @Test
  void secretsOfAnAddressTakeTurnsAndTheRightOneIsNeverShutOut() {
    for (int i = 0; i < 20; i++) {
      failures.count("10.0.0.1");
    }
    assertThat(failures.takeTurn("10.0.0.1")).contains(Duration.ofSeconds(5));
    assertThat(failures.takeTurn("10.0.0.1")).contains(Duration.ofSeconds(10));

    // in each tenth of a second one is looked at, and no more: it could be the right one
    for (int i = 0; i < 40; i++) {
      assertThat(failures.takeTurn("10.0.0.1")).contains(Duration.ZERO);
      failures.count("10.0.0.1");
      for (int j = 0; j < 100; j++) {
        assertThat(failures.takeTurn("10.0.0.1")).isEmpty();
      }
      now = now.plus(FailedLogins.BESIDE);
    }
    now = now.plus(FailedLogins.PATIENCE);
    assertThat(failures.takeTurn("10.0.0.1")).contains(Duration.ofSeconds(5));
  }

  @Test
  void manyAddressesAreNotRememberedForEver() {
    for (int i = 0; i < 5_000; i++) {
      for (int j = 0; j < FailedLogins.FREE; j++) {
        failures.count("10.0." + i / 250 + "." + i % 250);
      }
    }

    assertThat(failures.takeTurn("10.0.0.0")).contains(Duration.ZERO);
    assertThat(failures.takeTurn("10.0.19.249")).contains(Duration.ofMillis(250));
  }
}
