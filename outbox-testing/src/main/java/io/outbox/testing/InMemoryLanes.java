package io.outbox.testing;

import io.outbox.model.EventKey;
import io.outbox.model.EventRoute;
import io.outbox.spi.PollCursor;
import io.outbox.spi.lanes.DueEvent;
import io.outbox.spi.lanes.DuePage;
import io.outbox.spi.lanes.KeyBlock;
import io.outbox.spi.lanes.KeyPage;
import io.outbox.spi.lanes.KeyQuery;
import io.outbox.spi.lanes.Lane;
import io.outbox.spi.lanes.LaneGrant;
import io.outbox.spi.lanes.LaneReturn;
import io.outbox.spi.lanes.LaneStore;
import io.outbox.spi.lanes.LaneView;
import io.outbox.testing.LaneTable.Owned;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Order by key in memory. Events and locks belong to the transaction; who owns what, and what is
 * blocked, changes at once and is not rolled back.
 */
final class InMemoryLanes implements LaneStore {

  private final InMemoryDatabase database;

  InMemoryLanes(InMemoryDatabase database) {
    this.database = database;
  }

  private <T> T execute(Connection conn, StoreOperation operation, Function<Session, T> work) {
    return database.execute(conn, operation, List.of(), work);
  }

  private LaneTable table() {
    return database.laneTable;
  }

  private Instant now() {
    return Row.micros(database.clock().instant());
  }

  private static long stamp(Instant until) {
    return ChronoUnit.MICROS.between(Instant.EPOCH, until);
  }

  private static String lockOf(int lane) {
    return "lane/" + lane;
  }

  /** Nothing is ever missing. */
  @Override
  public void check(Connection conn) {}

  @Override
  public LaneView beat(Connection conn, String node, Duration lease) {
    return execute(
        conn,
        StoreOperation.BEAT,
        session -> {
          Instant now = now();
          table().beats.put(node, now);
          table().beats.values().removeIf(beat -> !beat.isAfter(now.minus(lease)));
          Instant until = now.plus(lease);
          List<Lane> renewed = new ArrayList<>();
          for (int lane = 0; lane < EventKey.LANES; lane++) {
            Owned owned = table().lanes[lane];
            if (node.equals(owned.owner)) {
              session.lock(lockOf(lane));
              if (node.equals(owned.owner)) {
                owned.until = until;
                renewed.add(new Lane(lane, owned.epoch));
              }
            }
          }
          return new LaneView(
              EventKey.LANES, table().beats.keySet(), new LaneGrant(stamp(until), renewed));
        });
  }

  @Override
  public LaneGrant take(Connection conn, String node, Duration lease, int max) {
    return execute(
        conn,
        StoreOperation.TAKE_LANES,
        session -> {
          Instant now = now();
          Instant until = now.plus(lease);
          Set<Lane> abandoned = new HashSet<>();
          List<Lane> taken =
              IntStream.range(0, EventKey.LANES)
                  .filter(lane -> table().lanes[lane].isFree(now))
                  .filter(lane -> !session.isLockedByOther(lockOf(lane)))
                  .limit(Math.max(0, max))
                  .mapToObj(lane -> take(session, lane, node, until, abandoned))
                  .toList();
          return new LaneGrant(stamp(until), taken, abandoned);
        });
  }

  private Lane take(Session session, int number, String node, Instant until, Set<Lane> abandoned) {
    session.lock(lockOf(number));
    Owned owned = table().lanes[number];
    Lane lane = new Lane(number, ++owned.epoch);
    if (owned.owner != null) {
      abandoned.add(lane);
    }
    owned.owner = node;
    owned.until = until;
    return lane;
  }

  @Override
  public void release(Connection conn, String node, Collection<LaneReturn> lanes) {
    execute(
        conn,
        StoreOperation.RELEASE_LANES,
        session -> {
          lanes.forEach(back -> release(session, node, back));
          return null;
        });
  }

  private void release(Session session, String node, LaneReturn back) {
    session.lock(lockOf(back.lane().number()));
    Owned owned = table().lanes[back.lane().number()];
    if (node.equals(owned.owner)
        && owned.epoch == back.lane().epoch()
        && stamp(owned.until) == back.stamp()) {
      owned.owner = null;
      owned.until = null;
    }
  }

  @Override
  public void leave(Connection conn, String node) {
    execute(conn, StoreOperation.RELEASE_LANES, session -> table().beats.remove(node));
  }

  @Override
  public Set<Lane> lock(Connection conn, String node, Collection<Lane> lanes) {
    return execute(
        conn,
        StoreOperation.LOCK_LANES,
        session ->
            lanes.stream()
                .sorted(Comparator.comparing(Lane::number))
                .filter(lane -> lock(session, node, lane))
                .collect(Collectors.toSet()));
  }

  private boolean lock(Session session, String node, Lane lane) {
    session.lock(lockOf(lane.number()));
    Owned owned = table().lanes[lane.number()];
    return node.equals(owned.owner) && owned.epoch == lane.epoch();
  }

  @Override
  public KeyPage scan(Connection conn, Set<Integer> lanes, EventKey after, KeyQuery query) {
    return execute(
        conn,
        StoreOperation.READ_KEYS,
        session -> new KeySelection(session, query).scan(lanes, after));
  }

  @Override
  public KeyPage read(Connection conn, Map<EventKey, Long> keys, KeyQuery query) {
    return execute(
        conn, StoreOperation.READ_KEYS, session -> new KeySelection(session, query).read(keys));
  }

  @Override
  public DuePage due(
      Connection conn,
      Set<Integer> lanes,
      PollCursor after,
      Instant until,
      List<EventRoute> without,
      int limit) {
    return execute(
        conn,
        StoreOperation.READ_KEYS,
        session -> {
          List<Row> rows =
              session.rows(row -> row.isPending() && !row.isLeased()).stream()
                  .filter(row -> isBehind(after, row) && !row.availableAt.isAfter(until))
                  .filter(row -> !PendingSelection.isIn(row, without))
                  .sorted(
                      Comparator.comparing((Row row) -> row.availableAt).thenComparing(r -> r.seq))
                  .limit(limit)
                  .toList();
          Row last = rows.size() < limit ? null : rows.get(rows.size() - 1);
          return new DuePage(
              rows.stream()
                  .map(
                      row ->
                          new DueEvent(
                              EventKey.of(row.envelope), row.envelope.eventId(), row.availableAt))
                  .filter(event -> lanes.contains(event.key().lane()))
                  .toList(),
              Optional.ofNullable(last).map(row -> PollCursor.behind(row.availableAt, row.seq)));
        });
  }

  private static boolean isBehind(PollCursor after, Row row) {
    if (after == null) {
      return true;
    }
    int time = row.availableAt.compareTo(after.dueAt());
    return time > 0 || (time == 0 && row.seq > after.dueSeq());
  }

  @Override
  public void recordClaims(Connection conn, Collection<String> eventIds) {
    execute(
        conn,
        StoreOperation.RECORD_CLAIMS,
        session -> {
          for (String id : Set.copyOf(eventIds)) {
            session.lock(id);
            session
                .find(id)
                .filter(Row::isPending)
                .ifPresent(row -> session.put(row.with(changed -> changed.claims++)));
          }
          return null;
        });
  }

  @Override
  public void block(Connection conn, Collection<KeyBlock> blocks) {
    execute(
        conn,
        StoreOperation.BLOCKS,
        session -> {
          blocks.forEach(block -> table().blocks.putIfAbsent(block.key(), block));
          return null;
        });
  }

  @Override
  public int unblock(Connection conn, Collection<EventKey> keys) {
    return execute(
        conn,
        StoreOperation.BLOCKS,
        session -> (int) keys.stream().filter(key -> table().blocks.remove(key) != null).count());
  }

  @Override
  public List<KeyBlock> blocks(Connection conn, Collection<EventKey> keys) {
    return execute(
        conn,
        StoreOperation.BLOCKS,
        session ->
            keys.stream().map(table().blocks::get).filter(Objects::nonNull).distinct().toList());
  }

  @Override
  public List<KeyBlock> blocks(Connection conn, Set<Integer> lanes, int limit) {
    return execute(
        conn,
        StoreOperation.BLOCKS,
        session ->
            table().blocks.values().stream()
                .filter(block -> lanes.contains(block.key().lane()))
                .sorted(Comparator.comparing(KeyBlock::since))
                .limit(limit)
                .toList());
  }
}
