package io.outbox.internal.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.outbox.fakes.FakeDatabase;
import io.outbox.fakes.FakeStore;
import io.outbox.fakes.ManualClock;
import io.outbox.fakes.SpecOnlyStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class EngineClockTest {

  private static final Duration AHEAD = Duration.ofHours(3);

  private final ManualClock local = new ManualClock();
  private final ManualClock remote = new ManualClock(local.instant().plus(AHEAD));
  private final FakeDatabase database = new FakeDatabase();
  private final FakeStore store = new FakeStore(database, remote);
  private final EngineClock clock = new EngineClock(local);
  private Connection conn;

  @BeforeEach
  void connect() throws SQLException {
    conn = database.getConnection();
  }

  private void pass(Duration time) {
    local.advance(time);
    remote.advance(time);
  }

  @Test
  void beforeTheDatabaseWasAskedItIsTheLocalTime() {
    assertThat(clock.isSynchronized()).isFalse();
    assertThat(clock.now()).isEqualTo(local.instant());
  }

  @Test
  void R5_onceAskedItIsTheDatabasesTimeAndGoesOn() {
    clock.synchronize(store, conn);

    assertThat(clock.isSynchronized()).isTrue();
    assertThat(clock.now()).isEqualTo(remote.instant());
    pass(Duration.ofSeconds(5));
    assertThat(clock.now()).isEqualTo(remote.instant());
  }

  @Test
  void theDatabaseIsNotAskedEachTime() {
    for (int i = 0; i < 10; i++) {
      clock.synchronize(store, conn);
    }
    assertThat(store.calls("currentTime")).isEqualTo(1);

    pass(Duration.ofSeconds(11));
    clock.synchronize(store, conn);
    assertThat(store.calls("currentTime")).isEqualTo(2);
  }

  @Test
  void aDriftIsCorrectedByTheNextAnswer() {
    clock.synchronize(store, conn);
    pass(Duration.ofSeconds(11));
    remote.advance(Duration.ofSeconds(2));
    clock.synchronize(store, conn);

    assertThat(clock.now()).isEqualTo(remote.instant());
  }

  @Test
  void anAnswerIsTakenToBeTrueWhenItArrivesSoThatNothingIsEarly() {
    store.before("currentTime", nothing -> local.advance(Duration.ofMillis(30)));
    clock.synchronize(store, conn);

    assertThat(clock.now()).isEqualTo(remote.instant());
  }

  @Test
  void afterASlowAnswerTheDatabaseIsAskedAgainAtOnce() {
    store.before("currentTime", nothing -> local.advance(Duration.ofMillis(400)));
    clock.synchronize(store, conn);
    store.heal();
    clock.synchronize(store, conn);
    clock.synchronize(store, conn);

    assertThat(store.calls("currentTime")).isEqualTo(2);
  }

  @Test
  void aSlowAnswerDoesNotReplaceAGoodOne() {
    clock.synchronize(store, conn);
    pass(Duration.ofSeconds(11));
    store.before("currentTime", nothing -> pass(Duration.ofSeconds(3)));
    remote.advance(Duration.ofMinutes(1));
    clock.synchronize(store, conn);

    assertThat(clock.now()).isEqualTo(local.instant().plus(AHEAD));
  }

  @Test
  void aSlowAnswerIsBetterThanNone() {
    store.before("currentTime", nothing -> local.advance(Duration.ofSeconds(4)));
    clock.synchronize(store, conn);

    assertThat(clock.now()).isEqualTo(remote.instant());
  }

  @Test
  void aSlowAnswerIsBetterThanAVeryOldOne() {
    clock.synchronize(store, conn);
    pass(Duration.ofMinutes(5));
    remote.advance(Duration.ofMinutes(1));
    store.before("currentTime", nothing -> pass(Duration.ofSeconds(4)));
    clock.synchronize(store, conn);

    assertThat(clock.now()).isEqualTo(remote.instant());
  }

  @Test
  void R5_aSlowAnswerThatMayAgreeDoesNotSetTheTimeBack() {
    clock.synchronize(store, conn);
    pass(Duration.ofMinutes(5));
    // The database answered at once; it was this node that stood still.
    store.before("currentTime", nothing -> local.advance(Duration.ofSeconds(4)));
    clock.synchronize(store, conn);
    remote.advance(Duration.ofSeconds(4));

    assertThat(clock.now()).isEqualTo(remote.instant());
  }

  @Test
  void R5_aSlowAnswerDoesNotReplaceAGoodOneThatCameMeanwhile() {
    store.before(
        "currentTime",
        nothing -> {
          store.heal();
          clock.synchronize(store, conn); // as another thread does
          local.advance(Duration.ofSeconds(4));
        });
    clock.synchronize(store, conn);
    remote.advance(Duration.ofSeconds(4));

    assertThat(clock.now()).isEqualTo(remote.instant());
  }

  @Test
  void aStoreThatDoesNotKnowTheTimeLeavesItToTheLocalClock() {
    clock.synchronize(new SpecOnlyStore(store), conn);

    assertThat(clock.isSynchronized()).isTrue();
    assertThat(clock.now()).isEqualTo(local.instant());
  }

  @Test
  void aFailingQuestionChangesNothing() {
    clock.synchronize(store, conn);
    pass(Duration.ofSeconds(11));
    store.before(
        "currentTime",
        nothing -> {
          throw new IllegalStateException("injected");
        });

    assertThat(clock.now()).isEqualTo(remote.instant());
    try {
      clock.synchronize(store, conn);
    } catch (IllegalStateException expected) {
      // as the caller sees fit
    }
    assertThat(clock.now()).isEqualTo(remote.instant());
  }

  @Test
  void R10_itCountsInMicroseconds() {
    EngineClock fine = new EngineClock(new ManualClock(Instant.ofEpochSecond(1, 123_456_789)));

    assertThat(fine.now()).isEqualTo(Instant.ofEpochSecond(1, 123_456_000));
  }

  @Test
  void onTheSystemsClockItGoesOnByItself() {
    EngineClock system = new EngineClock(Clock.systemUTC());
    system.synchronize(new FakeStore(database, Clock.systemUTC()), conn);
    Instant last = system.now();
    for (int i = 0; i < 1_000; i++) {
      Instant now = system.now();
      assertThat(now).isAfterOrEqualTo(last);
      last = now;
    }
    assertThat(last).isCloseTo(Instant.now(), within(5, ChronoUnit.SECONDS));
  }

  @Test
  void R5_aLocalClockThatIsSetBackDoesNotTakeTheDatabasesTimeAlong() {
    clock.synchronize(store, conn);
    local.advance(Duration.ofHours(-1));
    clock.synchronize(store, conn);

    assertThat(clock.now()).isEqualTo(remote.instant());
  }

  @Test
  void theSystemsClockIsKnownInAnyZone() throws InterruptedException {
    EngineClock berlin = new EngineClock(Clock.system(ZoneId.of("Europe/Berlin")));
    FakeStore still =
        new FakeStore(database, new ManualClock(Instant.parse("2030-01-01T00:00:00Z")));
    berlin.synchronize(still, conn);

    assertThat(berlin.now()).isBetween("2030-01-01T00:00:00Z", "2030-01-01T01:00:00Z");
  }
}
