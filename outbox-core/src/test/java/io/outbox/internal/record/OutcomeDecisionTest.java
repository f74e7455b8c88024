package io.outbox.internal.record;

import static io.outbox.model.EventStatus.DEAD;
import static io.outbox.model.EventStatus.DONE;
import static io.outbox.model.EventStatus.NEW;
import static io.outbox.model.EventStatus.RETRY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.outbox.DispatchResult;
import io.outbox.OutageException;
import io.outbox.PayloadParseException;
import io.outbox.RecoverableException;
import io.outbox.RetryAfterException;
import io.outbox.UnrecoverableException;
import io.outbox.fakes.Events;
import io.outbox.internal.call.Unroutable;
import io.outbox.internal.queue.Delivery.Tried;
import io.outbox.model.EventRef;
import io.outbox.model.EventStatus;
import io.outbox.policy.ListenerPolicy;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.Outcome;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CancellationException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class OutcomeDecisionTest {

  private static final EventRef REF = EventRef.unleased("e", 0);
  private static final Instant NOW = Instant.parse("2025-06-01T12:00:00Z");
  private static final Duration NONE = Duration.ZERO;
  private static final int MAX_ATTEMPTS = 3;

  /** 100 ms after the first failure, 200 ms after the second. */
  private final OutcomeDecision decision =
      new OutcomeDecision(MAX_ATTEMPTS, null, n -> 100L * n, false);

  private static Tried tried(int attempts) {
    return new Tried(REF, attempts, NOW);
  }

  static Stream<Arguments> results() {
    Duration minute = Duration.ofMinutes(1);
    return Stream.of(
        // what the listener did | failures before | status | failures after | when | error
        arguments(DispatchResult.done(), 0, DONE, 0, NONE, null),
        arguments(DispatchResult.done(), 2, DONE, 2, NONE, null),
        arguments(null, 0, DONE, 0, NONE, null),
        arguments(DispatchResult.retryAfter(minute), 0, NEW, 0, minute, null),
        arguments(DispatchResult.retryAfter(minute), 2, NEW, 2, minute, null),
        arguments(DispatchResult.retryAfter(NONE), 0, NEW, 0, NONE, null),
        arguments(DispatchResult.dead(), 0, DEAD, 0, NONE, null),
        arguments(DispatchResult.dead("no"), 1, DEAD, 1, NONE, "no"),
        arguments(new RetryAfterException(minute, "busy"), 0, RETRY, 1, minute, "busy"),
        arguments(new RetryAfterException(minute, "busy"), 1, RETRY, 2, minute, "busy"),
        arguments(new RetryAfterException(minute, "busy"), 2, DEAD, 3, NONE, "busy"),
        arguments(new UnrecoverableException("bad"), 0, DEAD, 0, NONE, "bad"),
        arguments(new UnrecoverableException("bad"), 1, DEAD, 1, NONE, "bad"),
        arguments(new PayloadParseException("no JSON"), 0, DEAD, 0, NONE, "no JSON"),
        arguments(
            Unroutable.noListenerFor(Events.event("e"), new DefaultListenerRegistry()),
            0,
            DEAD,
            0,
            NONE,
            "no listener is registered for event type 'Tested' without aggregate type"),
        arguments(new RecoverableException("later"), 0, RETRY, 1, Duration.ofMillis(100), "later"),
        arguments(new Exception("broken"), 0, RETRY, 1, Duration.ofMillis(100), "broken"),
        arguments(new Exception("broken"), 1, RETRY, 2, Duration.ofMillis(200), "broken"),
        arguments(new Exception("broken"), 2, DEAD, 3, NONE, "broken"),
        arguments(new Exception("broken"), 7, DEAD, 8, NONE, "broken"),
        arguments(new InterruptedException("stop"), 0, RETRY, 1, Duration.ofMillis(100), "stop"),
        arguments(new StackOverflowError("deep"), 0, RETRY, 1, Duration.ofMillis(100), "deep"),
        arguments(new StackOverflowError("deep"), 2, DEAD, 3, NONE, "deep"));
  }

  @ParameterizedTest(name = "{0} after {1} failures: {2}")
  @MethodSource("results")
  void theRetryTableOfTheSpecification(
      Object what, int before, EventStatus status, int after, Duration delay, String error) {
    Outcome outcome =
        what instanceof Throwable failure
            ? decision.ofFailure(tried(before), failure, NOW)
            : decision.ofResult(tried(before), (DispatchResult) what, NOW);

    assertThat(outcome.ref()).isEqualTo(REF);
    assertThat(outcome.status()).isEqualTo(status);
    assertThat(outcome.attempts()).isEqualTo(after);
    assertThat(outcome.at()).isEqualTo(NOW.plus(delay));
    if (error == null) {
      assertThat(outcome.error()).isNull();
    } else {
      assertThat(outcome.error()).contains(error);
    }
  }

  @ParameterizedTest(name = "{0} after {1} failures: {2}")
  @MethodSource("results")
  void ifAskedWhatIsDoneIsDeletedAndNothingElse(
      Object what, int before, EventStatus status, int after, Duration delay, String error) {
    OutcomeDecision deleting = new OutcomeDecision(MAX_ATTEMPTS, null, n -> 100L * n, true);
    Outcome outcome =
        what instanceof Throwable failure
            ? deleting.ofFailure(tried(before), failure, NOW)
            : deleting.ofResult(tried(before), (DispatchResult) what, NOW);

    assertThat(outcome.status()).isEqualTo(status);
    assertThat(outcome.attempts()).isEqualTo(after);
    assertThat(outcome.deletesRow()).isEqualTo(status == DONE);
  }

  private static final ListenerPolicy POLICY =
      ListenerPolicy.builder()
          .maxAttempts(2)
          .retryPolicy(n -> 7)
          .retryNever(IOException.class, IllegalStateException.class)
          .retryAlways(FileNotFoundException.class, PayloadParseException.class)
          .build();

  static Stream<Arguments> failuresUnderAPolicy() {
    return Stream.of(
        arguments(new Exception("plain"), 0, RETRY, 1),
        arguments(new Exception("plain"), 1, DEAD, 2),
        arguments(new IOException("never"), 0, DEAD, 0),
        arguments(new IllegalStateException("never"), 1, DEAD, 1),
        arguments(new CancellationException("extends one that is never retried"), 0, DEAD, 0),
        arguments(new FileNotFoundException("nearer than IOException"), 0, RETRY, 1),
        arguments(new FileNotFoundException("however often"), 99, RETRY, 100),
        arguments(new PayloadParseException("nearer than unrecoverable"), 5, RETRY, 6),
        arguments(new UnrecoverableException("as ever"), 0, DEAD, 0));
  }

  @ParameterizedTest(name = "{0} after {1} failures: {2}")
  @MethodSource("failuresUnderAPolicy")
  void aPolicySaysHowOftenWhichFailureIsRetried(
      Throwable failure, int before, EventStatus status, int after) {
    Outcome outcome = decision.under(POLICY, false).ofFailure(tried(before), failure, NOW);

    assertThat(outcome.status()).isEqualTo(status);
    assertThat(outcome.attempts()).isEqualTo(after);
    assertThat(outcome.at()).isEqualTo(status == RETRY ? NOW.plusMillis(7) : NOW);
  }

  @Test
  void whatAPolicyLeavesOpenIsAsTheSettingsSay() {
    OutcomeDecision same = decision.under(ListenerPolicy.builder().build(), false);

    assertThat(same.maxAttempts()).isEqualTo(MAX_ATTEMPTS);
    assertThat(same.tooOldAt(tried(0))).isNull();
    assertThat(same.ofFailure(tried(0), new Exception(), NOW).at()).isEqualTo(NOW.plusMillis(100));
  }

  @Test
  void whatIsAlwaysRetriedEndsByAge() {
    Duration hour = Duration.ofHours(1);
    OutcomeDecision aged = decision.under(POLICY.toBuilder().maxAge(hour).build(), false);
    Tried old = new Tried(REF, 5, NOW.minus(hour));

    Outcome outcome = aged.ofFailure(old, new FileNotFoundException(), NOW);

    assertThat(outcome.status()).isEqualTo(DEAD);
    assertThat(outcome.error()).contains("maxAge");
  }

  @Test
  void whereOrderAllowsOneAttemptAPolicyAllowsNoMore() {
    OutcomeDecision once = decision.under(POLICY, true);

    assertThat(once.ofFailure(tried(0), new Exception(), NOW).status()).isEqualTo(DEAD);
    assertThat(once.ofFailure(tried(0), new PayloadParseException("no"), NOW).status())
        .isEqualTo(DEAD);
  }

  @Test
  void withOneAttemptTheFirstFailureIsTheLast() {
    OutcomeDecision once = new OutcomeDecision(1, null, n -> 100, false);

    assertThat(once.ofFailure(tried(0), new Exception(), NOW).status()).isEqualTo(DEAD);
  }

  static Stream<Arguments> ages() {
    Duration hour = Duration.ofHours(1);
    Duration soon = Duration.ofMillis(100);
    Duration young = hour.minusMinutes(2);
    Duration nearly = hour.minusMillis(30);
    Duration left = Duration.ofMillis(30);
    DispatchResult inAMinute = DispatchResult.retryAfter(Duration.ofMinutes(1));
    OutageException outage = new OutageException("down");
    String tooOld = "older than PT1H (maxAge)";
    return Stream.of(
        // what the listener did | age, of an hour | status | failures after | when | error
        arguments(DispatchResult.done(), hour.plusDays(1), DONE, 0, NONE, null),
        arguments(null, hour.plusDays(1), DONE, 0, NONE, null),
        arguments(DispatchResult.dead("no"), hour, DEAD, 0, NONE, "no"),
        arguments(new Exception("broken"), young, RETRY, 1, soon, "broken"),
        arguments(new Exception("broken"), nearly, RETRY, 1, left, "broken"),
        arguments(new Exception("broken"), hour, DEAD, 1, NONE, tooOld),
        arguments(new Exception("broken"), hour.plusDays(9), DEAD, 1, NONE, "broken"),
        arguments(new UnrecoverableException("bad"), hour, DEAD, 0, NONE, "bad"),
        arguments(
            new RetryAfterException(hour, "busy"), young, RETRY, 1, Duration.ofMinutes(2), "busy"),
        arguments(new RetryAfterException(hour, "busy"), hour, DEAD, 1, NONE, tooOld),
        arguments(inAMinute, young, NEW, 0, Duration.ofMinutes(1), null),
        arguments(inAMinute, nearly, NEW, 0, left, null),
        arguments(inAMinute, hour, DEAD, 0, NONE, tooOld),
        arguments(outage, young, NEW, 0, Duration.ofSeconds(10), null),
        arguments(outage, nearly, NEW, 0, left, null),
        arguments(outage, hour, DEAD, 0, NONE, tooOld),
        arguments(outage, hour.plusDays(9), DEAD, 0, NONE, "down"),
        // a clock that was ahead when it was written
        arguments(new Exception("broken"), hour.negated(), RETRY, 1, soon, "broken"));
  }

  @ParameterizedTest(name = "{0} at the age of {1}: {2}")
  @MethodSource("ages")
  void whatIsTooOldIsTriedForTheLastTime(
      Object what, Duration age, EventStatus status, int after, Duration delay, String error) {
    OutcomeDecision aging =
        new OutcomeDecision(MAX_ATTEMPTS, Duration.ofHours(1), n -> 100L * n, false);
    Tried event = new Tried(REF, 0, NOW.minus(age));
    Outcome outcome;
    if (what instanceof OutageException outage) {
      outcome = aging.ofOutage(event, outage, Duration.ofSeconds(10), NOW);
    } else if (what instanceof Throwable failure) {
      outcome = aging.ofFailure(event, failure, NOW);
    } else {
      outcome = aging.ofResult(event, (DispatchResult) what, NOW);
    }

    assertThat(outcome.status()).isEqualTo(status);
    assertThat(outcome.attempts()).isEqualTo(after);
    assertThat(outcome.at()).isEqualTo(NOW.plus(delay));
    if (error == null) {
      assertThat(outcome.error()).isNull();
    } else {
      assertThat(outcome.error()).contains(error);
    }
  }

  @Test
  void withoutAMaximumAgeAnOutageNeverEnds() {
    Tried event = new Tried(REF, 2, NOW.minus(Duration.ofDays(10_000)));

    Outcome outcome = decision.ofOutage(event, new OutageException("down"), NONE, NOW);
    assertThat(outcome.status()).isEqualTo(NEW);
    assertThat(outcome.attempts()).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(longs = {Long.MIN_VALUE, -1, 0})
  void aPolicyThatAsksForThePastMeansNow(long delay) {
    OutcomeDecision odd = new OutcomeDecision(MAX_ATTEMPTS, null, n -> delay, false);

    assertThat(odd.ofFailure(tried(0), new Exception(), NOW).at()).isEqualTo(NOW);
  }

  @Test
  void R1_aPolicyThatAsksForMoreThanAnyDatabaseStoresIsCutShort() {
    OutcomeDecision odd = new OutcomeDecision(MAX_ATTEMPTS, null, n -> Long.MAX_VALUE, false);

    Outcome outcome = odd.ofFailure(tried(0), new Exception(), NOW);
    assertThat(outcome.status()).isEqualTo(RETRY);
    assertThat(outcome.at()).isBetween(NOW.plusSeconds(1), Instant.parse("2040-01-01T00:00:00Z"));
  }

  @Test
  void R1_aListenerThatDefersForEverIsCutShort() {
    DispatchResult forEver = DispatchResult.retryAfter(Duration.ofSeconds(Long.MAX_VALUE));

    assertThat(decision.ofResult(tried(0), forEver, NOW).at())
        .isBetween(NOW.plusSeconds(1), Instant.parse("2040-01-01T00:00:00Z"));
  }

  static Stream<Throwable> whatAPolicyThrows() {
    return Stream.of(new IllegalStateException("policy"), new AssertionError("policy"));
  }

  @ParameterizedTest
  @MethodSource("whatAPolicyThrows")
  void R1_aPolicyThatThrowsStillCountsTheAttempt(Throwable thrown) {
    OutcomeDecision odd =
        new OutcomeDecision(
            MAX_ATTEMPTS,
            null,
            n -> {
              throw sneaky(thrown);
            },
            false);

    Outcome outcome = odd.ofFailure(tried(0), new Exception("broken"), NOW);
    assertThat(outcome.status()).isEqualTo(RETRY);
    assertThat(outcome.attempts()).isEqualTo(1);
    assertThat(outcome.at()).isAfter(NOW);
    assertThat(outcome.error()).contains("broken");
  }

  static Stream<RetryAfterException> oddExceptions() {
    return Stream.of(
        new RetryAfterException(NONE) {
          @Override
          public Duration retryAfter() {
            return null;
          }
        },
        new RetryAfterException(NONE) {
          @Override
          public Duration retryAfter() {
            throw new IllegalStateException("odd");
          }
        });
  }

  @ParameterizedTest
  @MethodSource("oddExceptions")
  void R1_anExceptionThatDoesNotSayWhenIsTreatedLikeABrokenPolicy(RetryAfterException odd) {
    Outcome outcome = decision.ofFailure(tried(0), odd, NOW);

    assertThat(outcome.status()).isEqualTo(RETRY);
    assertThat(outcome.attempts()).isEqualTo(1);
  }

  // ---- the error text

  @Test
  void theErrorNamesTheCauses() {
    Exception failure = new Exception("outer", new IllegalStateException("inner"));

    assertThat(decision.ofFailure(tried(0), failure, NOW).error())
        .isEqualTo("java.lang.Exception: outer\ncaused by: java.lang.IllegalStateException: inner");
  }

  @Test
  void causesThatGoRoundInACircleEnd() {
    Exception first = new Exception("first");
    Exception second = new Exception("second", first);
    first.initCause(second);

    assertThat(decision.ofFailure(tried(0), first, NOW).error()).contains("first", "second");
  }

  @Test
  void anErrorThatIsItsOwnCauseIsNamedOnce() {
    Exception odd =
        new Exception("odd") {
          @Override
          public synchronized Throwable getCause() {
            return this;
          }
        };

    assertThat(decision.ofFailure(tried(0), odd, NOW).error()).containsOnlyOnce("odd");
  }

  static Stream<Throwable> unspeakable() {
    return Stream.of(
        new Exception() {
          @Override
          public String toString() {
            throw new IllegalStateException("speechless");
          }
        },
        new Exception() {
          @Override
          public String toString() {
            throw new StackOverflowError();
          }
        },
        new Exception() {
          @Override
          public String toString() {
            return null;
          }
        },
        new Exception("half") {
          @Override
          public synchronized Throwable getCause() {
            throw new IllegalStateException("causeless");
          }
        });
  }

  @ParameterizedTest
  @MethodSource("unspeakable")
  void R1_aFailureThatCannotBeDescribedIsStillAFailure(Throwable failure) {
    Outcome outcome = decision.ofFailure(tried(0), failure, NOW);

    assertThat(outcome.status()).isEqualTo(RETRY);
    assertThat(outcome.attempts()).isEqualTo(1);
    assertThat(outcome.error()).isNotBlank();
  }

  @Test
  void aLongErrorIsCut() {
    Exception failure = new Exception("x".repeat(10_000));

    assertThat(decision.ofFailure(tried(0), failure, NOW).error())
        .hasSize(Outcome.MAX_ERROR_LENGTH);
  }

  @SuppressWarnings("unchecked")
  private static <T extends Throwable> RuntimeException sneaky(Throwable failure) throws T {
    throw (T) failure;
  }
}
