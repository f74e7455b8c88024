package io.outbox.internal.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.fakes.CapturedLogs;
import io.outbox.internal.Conditions;
import io.outbox.model.EventRoute;
import io.outbox.operate.Condition;
import io.outbox.operate.Condition.Kind;
import io.outbox.spi.MemberDetail.MissingListener;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.logging.Level;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class MissingListenersTest {

  private static final Instant START = Instant.parse("2030-01-01T00:00:00Z");
  private static final Duration GRACE = Duration.ofMinutes(5);
  private static final EventRoute NEW = new EventRoute("Order", "New");
  private static final EventRoute OTHER = new EventRoute("Order", "Other");

  private final Set<EventRoute> registered = new HashSet<>();
  private final List<String> changes = new ArrayList<>();
  private Instant now = START;
  private final Conditions conditions = new Conditions(() -> now);
  private final MissingListeners missing = missing(GRACE);

  private MissingListeners missing(Duration grace) {
    return new MissingListeners(
        grace,
        () -> now,
        registered::contains,
        conditions,
        (begun, ended) -> changes.add((begun ? "begun " : "") + (ended ? "ended" : "")));
  }

  private void after(Duration time) {
    now = now.plus(time);
  }

  /** Another node that lacks these, having met events of them itself or not. */
  private static List<MissingListener> lacks(boolean seen, EventRoute... routes) {
    return List.of(routes).stream().map(route -> new MissingListener(route, START, seen)).toList();
  }

  private List<String> messages() {
    return conditions.list().stream().map(Condition::message).toList();
  }

  @Test
  void R25_anEventWithoutAListenerWaitsAndItsRouteIsLeftOut() {
    assertThat(missing.waits(NEW, null, null)).isTrue();

    assertThat(missing.leftOut()).containsExactly(NEW);
    assertThat(missing.isLeftOut(NEW)).isTrue();
    assertThat(
            missing.isLeftOut(
                EventEnvelope.builder("New").aggregateType("Order").payloadJson("{}").build()))
        .isTrue();
    assertThat(missing.isLeftOut(OTHER)).isFalse();
    assertThat(missing.list()).containsExactly(new MissingListener(NEW, START, true));
    assertThat(changes).containsExactly("begun ");
  }

  @Test
  void R25_whenNoNodeHasHadAListenerForTheGracePeriodItIsOver() {
    missing.waits(NEW, null, null);
    after(GRACE.minusMillis(1));
    missing.review();
    assertThat(missing.waits(NEW, null, null)).isTrue();

    after(Duration.ofMillis(1));
    missing.review();

    assertThat(missing.leftOut()).isEmpty(); // they are read, and die
    assertThat(missing.waits(NEW, null, null)).isFalse();
    assertThat(missing.nobodySince(NEW)).isEqualTo(START);
    assertThat(changes).containsExactly("begun ", "ended");
  }

  @Test
  void R25_withoutAGracePeriodNothingWaits() {
    MissingListeners none = missing(Duration.ZERO);

    assertThat(none.waits(NEW, null, null)).isFalse();
    assertThat(none.leftOut()).isEmpty();
    assertThat(none.list()).isEmpty();
  }

  @Test
  void R25_aNodeThatMayHaveAListenerKeepsItWaiting() {
    missing.heard(List.of(lacks(true, OTHER)));
    missing.waits(NEW, null, null);
    after(GRACE.multipliedBy(10));
    missing.review();

    assertThat(missing.waits(NEW, null, null)).isTrue();
    assertThat(missing.nobodySince(NEW)).isNull();
  }

  @Test
  void R25_theGracePeriodBeginsWhenTheLastNodeThatMayHaveOneHasGone() {
    missing.heard(List.of(lacks(true, NEW), List.of()));
    missing.waits(NEW, null, null);
    after(GRACE.multipliedBy(10));
    missing.heard(List.of(lacks(true, NEW)));
    Instant gone = now;

    after(GRACE.minusMillis(1));
    missing.heard(List.of(lacks(true, NEW)));
    assertThat(missing.waits(NEW, null, null)).isTrue();
    after(Duration.ofMillis(1));
    missing.heard(List.of(lacks(true, NEW)));
    assertThat(missing.waits(NEW, null, null)).isFalse();
    assertThat(missing.nobodySince(NEW)).isEqualTo(gone);
  }

  @Test
  void R25_aNodeThatJoinsOrRestartsBeginsTheGracePeriodAnew() {
    missing.waits(NEW, null, null);
    after(GRACE.minusSeconds(1));
    missing.heard(List.of(List.of())); // it has not said anything yet
    after(Duration.ofSeconds(3));
    missing.heard(List.of(lacks(false, NEW)));

    after(GRACE.minusSeconds(1));
    missing.heard(List.of(lacks(false, NEW)));
    assertThat(missing.waits(NEW, null, null)).isTrue();
    after(Duration.ofSeconds(1));
    missing.heard(List.of(lacks(false, NEW)));
    assertThat(missing.waits(NEW, null, null)).isFalse();
  }

  @Test
  void R25_aNodeThatHasJustJoinedIsNotOverlooked() {
    missing.heard(List.of());
    missing.waits(NEW, null, null);
    after(GRACE);
    missing.review();
    assertThat(missing.waits(NEW, null, null)).isTrue(); // it may be there, and not heard of yet

    missing.heard(List.of(List.of()));
    assertThat(missing.waits(NEW, null, null)).isTrue();
    assertThat(missing.nobodySince(NEW)).isNull();
  }

  @Test
  void R25_aListenerThatComesEndsIt() {
    missing.waits(NEW, null, null);
    registered.add(NEW);
    missing.review();

    assertThat(missing.leftOut()).isEmpty();
    assertThat(missing.list()).isEmpty();
    assertThat(conditions.list()).isEmpty();
    assertThat(changes).containsExactly("begun ", "ended");
  }

  @Test
  void R25_answersForRoutesThatOnlyAnotherNodeHasMet() {
    missing.heard(List.of(lacks(true, NEW)));
    assertThat(missing.list()).containsExactly(new MissingListener(NEW, START, false));
    assertThat(missing.leftOut()).isEmpty();
    assertThat(conditions.list()).isEmpty();
    assertThat(changes).hasSize(1); // the other one is to hear of it soon

    missing.heard(List.of(lacks(true, NEW), lacks(true, NEW)));
    assertThat(missing.list()).hasSize(1);
    missing.heard(List.of());
    assertThat(missing.list()).isEmpty();
  }

  @Test
  void R25_doesNotAnswerForAnAnswer() {
    missing.heard(List.of(lacks(false, NEW)));

    assertThat(missing.list()).isEmpty(); // or two nodes would keep each other at it for ever
  }

  @Test
  void R25_doesNotSayThatItLacksWhatItHas() {
    registered.add(NEW);
    missing.heard(List.of(lacks(true, NEW)));
    assertThat(missing.list()).isEmpty();

    missing.heard(List.of(lacks(true, OTHER)));
    registered.add(OTHER);
    missing.review();
    assertThat(missing.list()).isEmpty();
  }

  @Test
  void R25_answersAlsoWithoutAGracePeriod() {
    MissingListeners none = missing(Duration.ZERO);
    none.heard(List.of(lacks(true, NEW)));

    assertThat(none.list()).containsExactly(new MissingListener(NEW, START, false));
  }

  @Test
  void R25_aListenerForOtherEventsOfTheRouteIsNoReasonToLeaveItOut() {
    registered.add(NEW);

    assertThat(missing.waits(NEW, null, null)).isFalse();
    assertThat(missing.leftOut()).isEmpty();
  }

  @Test
  void R25_theRouteIsReadWhenOneOfItsEventsIsTooOldToWait() {
    missing.heard(List.of(List.of())); // another node may have a listener
    missing.waits(NEW, START.plusSeconds(20), null);
    missing.waits(NEW, START.plusSeconds(10), null);
    after(Duration.ofSeconds(9));
    missing.review();
    assertThat(missing.leftOut()).containsExactly(NEW);

    after(Duration.ofSeconds(1));
    missing.review();
    assertThat(missing.leftOut()).isEmpty();

    // the old one, and then one that may wait
    assertThat(missing.waits(NEW, START.plusSeconds(10), null)).isTrue();
    assertThat(missing.leftOut()).isEmpty();
    assertThat(missing.waits(NEW, START.plusSeconds(20), null)).isTrue();
    assertThat(missing.leftOut()).containsExactly(NEW);
    after(Duration.ofSeconds(10));
    missing.review();
    assertThat(missing.leftOut()).isEmpty();
  }

  @Test
  void R25_aRouteThatIsReadAndOfWhichNothingComesIsForgotten() {
    missing.waits(NEW, null, null);
    after(GRACE);
    missing.review();
    after(Duration.ofMinutes(1));
    assertThat(missing.waits(NEW, null, null)).isFalse();
    after(MissingListeners.QUIET);
    missing.review();
    assertThat(missing.list()).hasSize(1);

    after(Duration.ofSeconds(1));
    missing.review();
    assertThat(missing.list()).isEmpty();
    assertThat(conditions.list()).isEmpty();
    assertThat(missing.waits(NEW, null, null)).isTrue(); // and its time begins anew
  }

  @Test
  void R25_aRouteThatIsLeftOutIsNotForgotten() {
    missing.heard(List.of(List.of()));
    missing.waits(NEW, null, null);
    after(Duration.ofDays(10));
    missing.review();

    assertThat(missing.leftOut()).containsExactly(NEW);
  }

  @Test
  void R25_isBounded() {
    List<EventRoute> many =
        IntStream.range(0, 1000).mapToObj(n -> new EventRoute("Order", "New" + n)).toList();
    many.forEach(route -> assertThat(missing.waits(route, null, null)).isTrue());
    assertThat(missing.leftOut()).hasSize(MissingListeners.MAX_SEEN);
    missing.heard(List.of(lacks(true, many.toArray(EventRoute[]::new))));
    assertThat(missing.list())
        .hasSizeLessThanOrEqualTo(MissingListeners.MAX_SEEN + MissingListeners.MAX_ASKED);

    after(GRACE); // there is room again, by and by
    missing.heard(List.of(lacks(true, many.toArray(EventRoute[]::new))));
    after(MissingListeners.QUIET.plusSeconds(1));
    missing.review();
    assertThat(missing.waits(many.get(999), null, null)).isTrue();
    assertThat(missing.leftOut()).containsExactly(many.get(999));
  }

  @Test
  void R25_saysWhatIsMissingSinceWhenAndWhatComesOfIt() {
    missing.heard(List.of(List.of()));
    missing.waits(NEW, null, null);
    assertThat(conditions.list()).extracting(Condition::kind).containsExactly(Kind.NO_LISTENER);
    assertThat(messages())
        .containsExactly(
            "no listener for event type 'New' with aggregate type 'Order' on this node since"
                + " 2030-01-01T00:00:00Z: its events wait for a node that has one");

    after(Duration.ofMinutes(1));
    missing.heard(List.of(lacks(false, NEW)));
    assertThat(messages())
        .containsExactly(
            "no listener for event type 'New' with aggregate type 'Order' on any node since"
                + " 2030-01-01T00:01:00Z: unless one comes, its events become DEAD at"
                + " 2030-01-01T00:06:00Z");

    IntStream.range(0, 5)
        .forEach(n -> missing.waits(new EventRoute("Order", "New" + n), null, null));
    assertThat(messages().get(0)).endsWith("; and for 3 others");
  }

  @Test
  void aListenerThatTheEventMayHaveBeenMeantForIsNamedWhileItWaits() {
    missing.waits(NEW, null, "there is one for this event type without aggregate type");

    assertThat(messages())
        .singleElement()
        .asString()
        .startsWith(
            "no listener for event type 'New' with aggregate type 'Order' (there is one for this"
                + " event type without aggregate type) on any node since ");
    assertThat(missing.list())
        .extracting(MissingListener::nearMiss)
        .containsExactly("there is one for this event type without aggregate type");
  }

  @Test
  void everyTypeWithoutAListenerIsInTheLogOnceWithItsNearMiss() {
    String first = "first-" + UUID.randomUUID();
    String second = "second-" + UUID.randomUUID();
    for (int times = 0; times < 3; times++) {
      missing.waits(new EventRoute("Order", first), null, null);
      missing.waits(new EventRoute("Order", second), null, "there is one with aggregate type 'X'");
    }

    assertThat(CapturedLogs.of(Conditions.class, Level.WARNING))
        .filteredOn(line -> line.contains(first))
        .hasSize(1);
    assertThat(CapturedLogs.of(MissingListeners.class, Level.WARNING))
        .filteredOn(line -> line.contains(second))
        .singleElement()
        .asString()
        .contains("(there is one with aggregate type 'X')");
  }
}
