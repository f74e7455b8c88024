package io.outbox.spi.lanes;

import io.outbox.model.EventKey;
import io.outbox.model.EventRoute;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.PollCursor;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The part of a store for order by key: keeps the owners of lanes, and reads events by key. Each
 * method runs in a transaction of its caller, at READ COMMITTED, and sees all earlier commits.
 * Leases are judged by the database's time. The caller tries again after a deadlock.
 */
public interface LaneStore {

  /**
   * Checks that the tables and indexes are there and fit, and that other nodes agree on how keys
   * are divided among lanes.
   *
   * @throws IllegalStateException names missing parts and disagreements
   */
  void check(Connection conn);

  /**
   * Takes note that {@code node} is alive, and renews the lanes that it owns: until {@code lease}
   * from the database's now. May wait for a transaction that has one of them locked.
   *
   * @return the state afterwards. Nodes not heard of for {@code lease} are not alive
   */
  LaneView beat(Connection conn, String node, Duration lease);

  /**
   * Takes up to {@code max} lanes without an owner, or with an owner that has not renewed them in
   * time, with the next epoch. Skips locked lanes.
   */
  LaneGrant take(Connection conn, String node, Duration lease, int max);

  /** Returns lanes that {@code node} owns with the given epoch and stamp. */
  void release(Connection conn, String node, Collection<LaneReturn> lanes);

  /** Takes note that {@code node} leaves. It has returned its lanes, or their leases will end. */
  void leave(Connection conn, String node);

  /**
   * Keeps lanes from being taken over until the transaction ends.
   *
   * @return the lanes that {@code node} still owns with the given epoch, even after their lease
   */
  Set<Lane> lock(Connection conn, String node, Collection<Lane> lanes);

  /** Whether reads keep to {@link KeyQuery#maxBytes()}: then they may be of many rows. */
  default boolean limitsBytesOfKeys() {
    return false;
  }

  /**
   * Reads the first pending events of keys, from key to key in an order of the store's own. The
   * cost depends on how many keys are visited, not on how many events they have.
   *
   * @param lanes whose keys
   * @param after the key to go on behind; null for the beginning
   */
  KeyPage scan(Connection conn, Set<Integer> lanes, EventKey after, KeyQuery query);

  /**
   * Reads the first pending events of some keys, as {@link #scan} would.
   *
   * @param keys for each key the {@code seq} to begin behind; 0 for the beginning
   */
  KeyPage read(Connection conn, Map<EventKey, Long> keys, KeyQuery query);

  /**
   * Looks whether events that somebody has in memory are the only pending ones of their keys. Their
   * transactions need not be committed. One call to the database, which need not be in a
   * transaction.
   *
   * @param eventIds for each key the event in memory
   * @return those of these keys that have other pending events, or whose event is not as it was
   *     inserted (it was tried, claimed or replayed); empty if the store cannot tell; it is not
   *     asked again then
   */
  default Optional<Set<EventKey>> withOthers(Connection conn, Map<EventKey, String> eventIds) {
    return Optional.empty();
  }

  /**
   * Reads due events that are the only pending ones of their keys, the longest due first: where
   * most keys have one event, this is the way to many of them that touches the table least.
   *
   * @param after where the last page ended; null for the beginning
   * @return empty if the store cannot; {@link #scan} finds them as well
   */
  default Optional<SinglesPage> singles(
      Connection conn, Set<Integer> lanes, PollCursor after, KeyQuery query) {
    return Optional.empty();
  }

  /**
   * Pending, unleased events of {@code lanes} that became due until {@code until}: the longest due
   * first, looking at no more than {@code limit} events.
   *
   * @param after where to begin; null for the beginning
   * @param without events not to look at, if the store can leave them out
   */
  DuePage due(
      Connection conn,
      Set<Integer> lanes,
      PollCursor after,
      Instant until,
      List<EventRoute> without,
      int limit);

  /**
   * Counts that these events were found pending after their node was lost; see {@link
   * OutboxEvent#claims()}.
   */
  void recordClaims(Connection conn, Collection<String> eventIds);

  /** Blocks keys; a key that is blocked already keeps its block. */
  void block(Connection conn, Collection<KeyBlock> blocks);

  /** Lifts the blocks of these keys; returns how many there were. */
  int unblock(Connection conn, Collection<EventKey> keys);

  /** The blocks of these keys. */
  List<KeyBlock> blocks(Connection conn, Collection<EventKey> keys);

  /** Blocks of {@code lanes}, the oldest first. */
  List<KeyBlock> blocks(Connection conn, Set<Integer> lanes, int limit);

  /** How nodes signal commits to each other; empty if the database has no means for that. */
  default Optional<KeySignals> signals() {
    return Optional.empty();
  }
}
