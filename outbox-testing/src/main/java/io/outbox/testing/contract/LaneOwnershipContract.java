package io.outbox.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.model.EventKey;
import io.outbox.spi.lanes.Lane;
import io.outbox.spi.lanes.LaneGrant;
import io.outbox.spi.lanes.LaneView;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Who owns a lane, and until when. */
abstract class LaneOwnershipContract extends LaneFixture {

  @Test
  protected void theStoreIsFitForOrderByKey() throws SQLException {
    inTransaction(
        c -> {
          lanes().check(c);
          return null;
        });
  }

  @Test
  protected void aNodeIsAliveFromItsFirstBeatOn() throws SQLException {
    LaneView alone = beat("a", LONG);
    LaneView both = beat("b", LONG);

    assertThat(alone.nodes()).containsExactly("a");
    assertThat(alone.lanes()).isEqualTo(EventKey.LANES);
    assertThat(alone.owned().lanes()).isEmpty();
    assertThat(both.nodes()).containsExactlyInAnyOrder("a", "b");
    assertThat(beat("a", LONG).nodes()).containsExactlyInAnyOrder("a", "b");
  }

  @Test
  protected void aNodeIsNotAliveOnceItLeftOrWasSilentForALease() throws SQLException {
    beat("gone", LONG);
    beat("silent", LONG);
    inTransaction(
        c -> {
          lanes().leave(c, "gone");
          return null;
        });
    awaitTimeAfter(now().plus(SHORT));

    assertThat(beat("a", LONG).nodes()).containsExactlyInAnyOrder("a", "silent");
    awaitTimeAfter(now().plus(SHORT));
    assertThat(beat("b", SHORT).nodes()).containsExactly("b");
    assertThat(beat("b", LONG).nodes()).containsExactly("b");
  }

  @Test
  protected void lanesThatNobodyOwnsAreTakenUpToTheMaximum() throws SQLException {
    LaneGrant some = take("a", LONG, 10);
    LaneGrant rest = take("b", LONG, 1000);

    assertThat(some.lanes()).hasSize(10).allMatch(lane -> lane.epoch() == 1);
    assertThat(rest.lanes()).hasSize(EventKey.LANES - 10).allMatch(lane -> lane.epoch() == 1);
    List<Integer> all = new ArrayList<>(numbers(some));
    all.addAll(numbers(rest));
    assertThat(all).containsExactlyInAnyOrderElementsOf(ALL_LANES);
    assertThat(take("c", LONG, 1000).lanes()).isEmpty();
    assertThat(take("c", LONG, 0).lanes()).isEmpty();
  }

  @Test
  protected void aLeaseIsCountedFromTheTimeOfTheStore() throws SQLException {
    Instant before = now();
    LaneGrant grant = take("a", LONG, 3);
    LaneGrant renewed = beat("a", LONG).owned();
    Instant after = now();

    assertThat(time(grant.stamp())).isBetween(before.plus(LONG), after.plus(LONG));
    assertThat(time(renewed.stamp())).isBetween(time(grant.stamp()), after.plus(LONG));
  }

  @Test
  protected void nodesThatTakeTogetherNeverGetTheSameLane() throws Exception {
    ExecutorService nodes = Executors.newFixedThreadPool(4);
    try {
      List<Callable<List<Integer>>> takers = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        Connection connection = openTransaction();
        String node = "node-" + i;
        takers.add(() -> takeFiveAtATime(connection, node));
      }
      List<Integer> taken = new ArrayList<>();
      for (Future<List<Integer>> lanes : nodes.invokeAll(takers)) {
        taken.addAll(lanes.get());
      }
      // What all passed over because somebody had it locked is left.
      taken.addAll(numbers(take("last", LONG, 1000)));
      assertThat(taken).containsExactlyInAnyOrderElementsOf(ALL_LANES);
    } finally {
      nodes.shutdownNow();
    }
  }

  private List<Integer> takeFiveAtATime(Connection connection, String node) throws SQLException {
    List<Integer> taken = new ArrayList<>();
    LaneGrant grant;
    do {
      store().prepareTransaction(connection);
      grant = lanes().take(connection, node, LONG, 5);
      connection.commit();
      taken.addAll(numbers(grant));
    } while (!grant.lanes().isEmpty());
    return taken;
  }

  @Test
  protected void aLaneIsTakenOverOnlyAfterItsLease() throws SQLException {
    LaneGrant kept = take("a", LONG, 40);
    LaneGrant ended = takeForAMoment("a", 4);

    LaneGrant taken = take("b", LONG, 1000);
    assertThat(numbers(taken))
        .containsAll(numbers(ended))
        .doesNotContainAnyElementsOf(numbers(kept));
    assertThat(taken.lanes())
        .allMatch(lane -> lane.epoch() == (numbers(ended).contains(lane.number()) ? 2 : 1));
  }

  @Test
  protected void aBeatRenewsAllLanesOfItsNodeAndKeepsTheirEpochs() throws SQLException {
    LaneGrant lasting = take("a", LONG, 3);
    LaneGrant other = take("b", LONG, 2);
    LaneGrant ended = takeForAMoment("a", 4);

    LaneGrant renewed = beat("a", LONG).owned();
    List<Lane> expected = new ArrayList<>(lasting.lanes());
    expected.addAll(ended.lanes());
    assertThat(renewed.lanes()).containsExactlyInAnyOrderElementsOf(expected);
    assertThat(renewed.stamp()).isGreaterThanOrEqualTo(lasting.stamp());
    assertThat(numbers(take("c", LONG, 1000))).doesNotContainAnyElementsOf(numbers(ended));
    assertThat(beat("b", LONG).owned().lanes()).containsExactlyInAnyOrderElementsOf(other.lanes());
  }

  @Test
  protected void aLaneThatWasTakenOverIsNotRenewed() throws SQLException {
    LaneGrant lost = takeForAMoment("a", 2);
    take("b", LONG, 1000);

    assertThat(beat("a", LONG).owned().lanes()).isEmpty();
    assertThat(lock("a", lost.lanes())).isEmpty();
  }

  @Test
  protected void aLaneIsGivenBackUnderTheStampOfItsLastGrantOnly() throws SQLException {
    LaneGrant first = take("a", LONG, 2);
    awaitTimeAfter(now());
    LaneGrant last = beat("a", LONG).owned();
    List<Lane> lanes = last.lanes();

    release("a", first.stamp(), lanes);
    release("b", last.stamp(), lanes);
    release("a", last.stamp(), lanes.stream().map(l -> new Lane(l.number(), 9)).toList());
    assertThat(lock("a", lanes)).hasSize(2);

    release("a", last.stamp(), lanes);
    assertThat(lock("a", lanes)).isEmpty();
    LaneGrant taken = take("b", LONG, 1000);
    assertThat(taken.lanes())
        .hasSize(EventKey.LANES)
        .contains(new Lane(lanes.get(0).number(), 2), new Lane(lanes.get(1).number(), 2));
  }

  @Test
  protected void onlyLanesThatAreOwnedWithTheEpochAreLocked() throws SQLException {
    List<Lane> mine = take("a", LONG, 2).lanes();
    List<Lane> others = take("b", LONG, 1).lanes();
    List<Lane> asked = new ArrayList<>(mine);
    asked.addAll(others);
    asked.add(new Lane(mine.get(1).number(), 2));

    assertThat(lock("a", asked)).containsExactlyInAnyOrderElementsOf(mine);
    assertThat(lock("a", List.of())).isEmpty();
  }

  @Test
  protected void aLockKeepsALaneFromBeingTakenOver() throws SQLException {
    LaneGrant ended = takeForAMoment("a", 3);
    Connection holder = openTransaction();
    List<Lane> held = ended.lanes().subList(0, 1);

    // Even though its lease has ended.
    assertThat(lanes().lock(holder, "a", held)).isEqualTo(Set.copyOf(held));
    LaneGrant taken = take("b", LONG, 1000);
    assertThat(numbers(taken)).hasSize(EventKey.LANES - 1).doesNotContain(held.get(0).number());

    holder.commit();
    assertThat(take("b", LONG, 1000).lanes())
        .containsExactly(new Lane(held.get(0).number(), held.get(0).epoch() + 1));
    assertThat(lock("a", held)).isEmpty();
  }

  @Test
  protected void aLockWaitsForATakeoverAndThenSaysThatTheLaneIsLost() throws Exception {
    LaneGrant ended = takeForAMoment("a", 2);
    Connection taker = openTransaction();
    assertThat(lanes().take(taker, "b", LONG, 1000).lanes()).hasSize(EventKey.LANES);

    Connection late = openTransaction();
    Set<Lane> locked = during(taker, () -> lanes().lock(late, "a", ended.lanes()));
    assertThat(locked).isEmpty();
  }

  @Test
  protected void aBeatWaitsForATakeoverAndThenDoesNotRenew() throws Exception {
    takeForAMoment("a", 2);
    Connection taker = openTransaction();
    lanes().take(taker, "b", LONG, 1000);

    Connection late = openTransaction();
    LaneView view =
        during(
            taker,
            () -> {
              LaneView seen = lanes().beat(late, "a", LONG);
              late.commit();
              return seen;
            });
    assertThat(view.owned().lanes()).isEmpty();
    assertThat(beat("b", LONG).owned().lanes()).hasSize(EventKey.LANES);
  }

  @Test
  protected void nodesBeatAndTakeAtTheSameTime() throws Exception {
    ExecutorService nodes = Executors.newFixedThreadPool(4);
    try {
      List<Callable<Void>> lives = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        Connection connection = openTransaction();
        String node = "node-" + i;
        lives.add(() -> live(connection, node));
      }
      for (Future<Void> life : nodes.invokeAll(lives)) {
        life.get();
      }
    } finally {
      nodes.shutdownNow();
    }
  }

  /** With leases that end all the time, so that nodes and lanes are lost and found. */
  private Void live(Connection connection, String node) throws Exception {
    for (int i = 0; i < 30; i++) {
      patiently(connection, () -> lanes().beat(connection, node, Duration.ofMillis(2)));
      LaneGrant grant = patiently(connection, () -> lanes().take(connection, node, SHORT, 16));
      patiently(connection, () -> lanes().lock(connection, node, grant.lanes()));
    }
    return null;
  }

  /** A database may find that those who want the same are in each other's way. */
  private <T> T patiently(Connection connection, Callable<T> work) throws Exception {
    for (int attempt = 1; ; attempt++) {
      store().prepareTransaction(connection);
      try {
        T result = work.call();
        connection.commit();
        return result;
      } catch (RuntimeException e) {
        if (attempt == 5 || !(e.getCause() instanceof SQLTransactionRollbackException)) {
          throw e;
        }
        connection.rollback();
      }
    }
  }
}
