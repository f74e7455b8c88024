package io.outbox.internal.lanes;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.spi.lanes.Lane;
import io.outbox.spi.lanes.LaneGrant;
import io.outbox.spi.lanes.LaneView;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class OwnedLanesTest {

  private static final Lane LANE = new Lane(3, 7);

  private long nanos;
  private final OwnedLanes lanes =
      new OwnedLanes(
          "a", () -> nanos, Duration.ofSeconds(30), Duration.ZERO, Duration.ofSeconds(1));

  private void take(Lane lane) {
    lanes.taken(lanes.asking(), new LaneGrant(1, List.of(lane)));
  }

  @Test
  void R23_aLostLaneIsGivenUpAtOnce() {
    take(LANE);

    assertThat(lanes.lost(LANE)).isTrue();

    assertThat(lanes.isHeld(LANE)).isFalse();
    assertThat(lanes.enter(LANE.number())).isEmpty();
    assertThat(lanes.open()).isEmpty();
    assertThat(lanes.lost(LANE)).as("once").isFalse();
  }

  @Test
  void R23_anAnswerFromBeforeTheLossDoesNotBringTheLaneBack() {
    take(LANE);
    lanes.lost(LANE);

    take(LANE);
    assertThat(lanes.open()).isEmpty();

    take(new Lane(LANE.number(), LANE.epoch() + 1));
    assertThat(lanes.isOpen(LANE.number())).isTrue();
  }

  /** A server of a cluster that is behind the others knows neither owner nor epoch. */
  @Test
  void R18_aLaneThatTheDatabaseRenewsAfterItsLossIsNotLeftToNobody() {
    take(LANE);
    lanes.lost(LANE);

    nanos++;
    lanes.renewed(lanes.asking(), new LaneView(1, Set.of("a"), new LaneGrant(2, List.of(LANE))));

    assertThat(lanes.isOpen(LANE.number())).isTrue();
  }

  private OwnedLanes.Plan renewed(int shareOf) {
    nanos++;
    Set<String> nodes = shareOf == 1 ? Set.of("a") : Set.of("a", "b");
    return lanes.renewed(
        lanes.asking(), new LaneView(shareOf == 1 ? 1 : 0, nodes, new LaneGrant(2, List.of(LANE))));
  }

  @Test
  void R23_aLaneThatComesBackAfterItsLossIsGivenAwayOnceNothingRunsInItAnyMore() {
    take(LANE);
    Lane entered = lanes.enter(LANE.number()).orElseThrow();
    lanes.lost(LANE);
    renewed(1);

    lanes.leave(entered);

    assertThat(renewed(2).release()).hasSize(1);
  }

  @Test
  void R3_aLaneThatComesBackAfterItsLossIsNotGivenAwayWhileSomethingRunsInIt() {
    take(LANE);
    Lane entered = lanes.enter(LANE.number()).orElseThrow();
    lanes.lost(LANE);
    renewed(1);

    assertThat(renewed(2).release()).isEmpty();

    lanes.leave(entered);
    assertThat(renewed(2).release()).hasSize(1);
  }

  /**
   * It may be renewed before anybody looks: what is written meanwhile must not be left to others.
   */
  @Test
  void R18_aLaneWhoseLeaseHasLapsedIsStillOwned() {
    take(LANE);

    lanes.stop();

    assertThat(lanes.isOpen(LANE.number())).isFalse();
    assertThat(lanes.owns(LANE.number())).isTrue();
  }

  @Test
  void theLossOfAnEarlierTermDoesNotEndTheLaterOne() {
    Lane later = new Lane(LANE.number(), LANE.epoch() + 1);
    take(later);

    assertThat(lanes.lost(LANE)).isFalse();
    assertThat(lanes.isHeld(later)).isTrue();
  }

  /** The answer is kept while nothing changes. */
  @Test
  void theOpenLanesChangeWhenALeaseEndsAndWhenItIsRenewed() {
    take(LANE);
    assertThat(lanes.open()).containsExactly(LANE).isSameAs(lanes.open());

    nanos += Duration.ofMinutes(1).toNanos();
    assertThat(lanes.open()).isEmpty();

    take(LANE);
    assertThat(lanes.open()).containsExactly(LANE);

    lanes.stop();
    assertThat(lanes.open()).isEmpty();
  }
}
