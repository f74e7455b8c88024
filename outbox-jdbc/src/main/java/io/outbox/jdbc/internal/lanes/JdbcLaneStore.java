package io.outbox.jdbc.internal.lanes;

import io.outbox.jdbc.Addition;
import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.internal.InLists;
import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.internal.StoreContext;
import io.outbox.jdbc.internal.StoreErrors;
import io.outbox.jdbc.internal.UnitOfWork;
import io.outbox.jdbc.internal.schema.OrderedSchema;
import io.outbox.model.EventKey;
import io.outbox.model.EventRoute;
import io.outbox.spi.PollCursor;
import io.outbox.spi.lanes.DuePage;
import io.outbox.spi.lanes.KeyBlock;
import io.outbox.spi.lanes.KeyPage;
import io.outbox.spi.lanes.KeyQuery;
import io.outbox.spi.lanes.KeySignals;
import io.outbox.spi.lanes.Lane;
import io.outbox.spi.lanes.LaneGrant;
import io.outbox.spi.lanes.LaneReturn;
import io.outbox.spi.lanes.LaneStore;
import io.outbox.spi.lanes.LaneView;
import io.outbox.spi.lanes.SinglesPage;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** Order by key in a database; all that belongs together is one transaction. */
public final class JdbcLaneStore implements LaneStore {

  private final StoreContext context;
  private final LaneOwnership ownership;
  private final KeyEvents events;
  private final KeyBlocks blocks;
  private final JdbcTemplate jdbc;
  private final String claimSql;

  public JdbcLaneStore(StoreContext context, KeyEvents events) {
    this.context = context;
    this.ownership = new LaneOwnership(context);
    this.events = events;
    this.blocks = new KeyBlocks(context);
    this.jdbc = context.template("count claims");
    this.claimSql =
        "UPDATE %s SET claims = claims + 1 WHERE status IN (0, 2) AND event_id IN "
            .formatted(context.byKey());
  }

  @Override
  public boolean limitsBytesOfKeys() {
    return context.product == Product.POSTGRESQL;
  }

  @Override
  public Optional<KeySignals> signals() {
    return context.product == Product.POSTGRESQL
        ? Optional.of(new PostgresKeySignals(context))
        : Optional.empty();
  }

  @Override
  public void check(Connection conn) {
    List<String> problems = new OrderedSchema(context.product, context.table).problems(conn);
    if (!problems.isEmpty()) {
      throw new IllegalStateException(
          "order by key is impossible with table %s: %s. %s"
              .formatted(
                  context.table,
                  String.join("; ", problems),
                  StoreErrors.whereTheDdlIs(
                      context.product, context.table, Addition.ORDERED_BY_KEY)));
    }
  }

  private <T> T atomically(Connection conn, UnitOfWork.Work<T> work) {
    return context.atomically("order by key", conn, work);
  }

  private <T> T reading(Connection conn, Function<Connection, T> work) {
    return context.product.readsInTransaction() ? atomically(conn, work::apply) : work.apply(conn);
  }

  @Override
  public LaneView beat(Connection conn, String node, Duration lease) {
    return atomically(conn, c -> ownership.beat(c, node, lease));
  }

  @Override
  public LaneGrant take(Connection conn, String node, Duration lease, int max) {
    return atomically(conn, c -> ownership.take(c, node, lease, max));
  }

  @Override
  public void release(Connection conn, String node, Collection<LaneReturn> lanes) {
    ownership.release(conn, node, lanes);
  }

  @Override
  public void leave(Connection conn, String node) {
    ownership.leave(conn, node);
  }

  @Override
  public Set<Lane> lock(Connection conn, String node, Collection<Lane> lanes) {
    return ownership.lock(conn, node, lanes);
  }

  @Override
  public KeyPage scan(Connection conn, Set<Integer> lanes, EventKey after, KeyQuery query) {
    return reading(conn, c -> events.scan(c, lanes, after, query));
  }

  @Override
  public Optional<SinglesPage> singles(
      Connection conn, Set<Integer> lanes, PollCursor after, KeyQuery query) {
    return reading(conn, c -> events.singles(c, lanes, after, query));
  }

  @Override
  public KeyPage read(Connection conn, Map<EventKey, Long> keys, KeyQuery query) {
    return reading(conn, c -> events.read(c, List.copyOf(keys.keySet()), keys, query));
  }

  @Override
  public Optional<Set<EventKey>> withOthers(Connection conn, Map<EventKey, String> eventIds) {
    return events.withOthers(conn, eventIds);
  }

  @Override
  public DuePage due(
      Connection conn,
      Set<Integer> lanes,
      PollCursor after,
      Instant until,
      List<EventRoute> without,
      int limit) {
    List<DueRow> due = reading(conn, c -> events.due(c, after, until, without, limit));
    return DueRow.page(due, lanes, limit);
  }

  @Override
  public void recordClaims(Connection conn, Collection<String> eventIds) {
    List<String> ids = eventIds.stream().distinct().sorted().toList();
    InLists.update(jdbc, conn, claimSql, List.of(), ids);
  }

  @Override
  public void block(Connection conn, Collection<KeyBlock> toBlock) {
    blocks.add(conn, toBlock);
  }

  @Override
  public int unblock(Connection conn, Collection<EventKey> keys) {
    return blocks.remove(conn, keys);
  }

  @Override
  public List<KeyBlock> blocks(Connection conn, Collection<EventKey> keys) {
    return blocks.of(conn, keys);
  }

  @Override
  public List<KeyBlock> blocks(Connection conn, Set<Integer> lanes, int limit) {
    return blocks.list(conn, lanes, limit);
  }
}
