package io.outbox.jdbc.internal.operate;

import io.outbox.jdbc.Addition;
import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.internal.EventColumns;
import io.outbox.jdbc.internal.InLists;
import io.outbox.jdbc.internal.PostgresPlans;
import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.internal.Remembered;
import io.outbox.jdbc.internal.StoreContext;
import io.outbox.jdbc.internal.StoreErrors;
import io.outbox.jdbc.internal.UnitOfWork;
import io.outbox.jdbc.internal.lanes.JdbcMemberStore;
import io.outbox.jdbc.internal.lanes.KeyBlocks;
import io.outbox.jdbc.internal.schema.SchemaSnapshot;
import io.outbox.jdbc.internal.search.Neighbors;
import io.outbox.jdbc.internal.search.SearchOrders;
import io.outbox.jdbc.internal.search.Searches;
import io.outbox.jdbc.internal.search.SummaryColumns;
import io.outbox.model.EventKey;
import io.outbox.model.OutboxEvent;
import io.outbox.operate.AuditEntry;
import io.outbox.operate.DeliveryPause;
import io.outbox.operate.EventFilter;
import io.outbox.operate.EventPage;
import io.outbox.operate.EventSummary;
import io.outbox.operate.OperatorAction;
import io.outbox.operate.Overview;
import io.outbox.spi.Member;
import io.outbox.spi.OperatorStore;
import io.outbox.spi.lanes.KeyBlock;
import java.sql.Connection;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** What an operator sees and does in a database. */
public final class JdbcOperatorStore implements OperatorStore {

  private static final Set<Integer> LANES =
      IntStream.range(0, EventKey.LANES).boxed().collect(Collectors.toSet());

  private final StoreContext context;
  private final SchemaSnapshot.Reader schemas;
  private final PostgresPlans plans;
  private final Searches searches;
  private final EventChanges changes;
  private final Neighbors neighbors;
  private final Overviews overviews;
  private final Pauses pauses;
  private final Pauses holds;
  private final AuditLog auditLog;
  private final KeyBlocks blocks;
  private final JdbcMemberStore members;
  private final JdbcTemplate jdbc;
  private final String findSql;
  private final String summarySql;
  private final String unblockSql;
  private volatile boolean installed;
  private final Remembered<SchemaSnapshot> known = new Remembered<>();
  private final Remembered<Boolean> hasHolds = new Remembered<>();

  public JdbcOperatorStore(StoreContext context) {
    this.context = context;
    this.schemas = new SchemaSnapshot.Reader(context);
    this.plans = new PostgresPlans(context, "look at events");
    SearchOrders orders = SearchOrders.of(context.product);
    this.searches = new Searches(context, orders);
    this.changes = new EventChanges(context);
    this.neighbors = new Neighbors(context, orders);
    this.overviews = new Overviews(context);
    this.pauses = Pauses.ofTypes(context);
    this.holds = Pauses.ofTenantsAndDestinations(context.with(Addition.HOLDS));
    this.auditLog = new AuditLog(context);
    this.blocks = new KeyBlocks(context);
    this.members = new JdbcMemberStore(context.with(Addition.MEMBERS));
    this.jdbc = context.template("look at events");
    this.findSql =
        "SELECT %s FROM %s WHERE event_id = ?".formatted(EventColumns.ALL, context.table);
    this.summarySql =
        "SELECT %s FROM %s WHERE status IN (0, 1, 2, 3) AND event_id IN "
            .formatted(SummaryColumns.ALL, context.byKey());
    this.unblockSql = "DELETE FROM %s WHERE event_id = ?".formatted(context.table.sibling("block"));
  }

  @Override
  public boolean isInstalled(Connection conn) {
    if (!installed) {
      installed = isInstalled(schemas.read(conn));
    }
    return installed;
  }

  private static boolean isInstalled(SchemaSnapshot schema) {
    return schema.hasTable("pause") && schema.hasTable("audit");
  }

  @FunctionalInterface
  private interface Look<T> {
    T at(Connection conn, SchemaSnapshot schema);
  }

  /** An optional index that was there may be gone, and MySQL is told by name which to use. */
  private <T> T alongIndexes(Connection conn, Look<T> look) {
    try {
      return look(conn, look);
    } catch (OutboxStoreException e) {
      if (!StoreErrors.isIndexMissing(e)) {
        throw e;
      }
      known.forget();
      return look(conn, look);
    }
  }

  private <T> T planned(Connection conn, UnitOfWork.Work<T> work) {
    return context.atomically(
        "look at events",
        conn,
        c -> {
          if (context.product == Product.POSTGRESQL) {
            plans.search(c);
          }
          return work.run(c);
        });
  }

  private <T> T look(Connection conn, Look<T> look) {
    return planned(conn, c -> look.at(c, known.get(() -> schemas.read(c))));
  }

  @Override
  public Overview overview(Connection conn, Instant now, Instant leasedBefore) {
    return planned(
        conn,
        c -> {
          SchemaSnapshot schema = schemas.read(c);
          List<DeliveryPause> paused =
              isInstalled(schema) ? pauses(c, schema.hasTable("hold")) : List.of();
          List<Member> nodes = schema.hasTable("member") ? members.list(c) : List.of();
          return overviews.read(c, now, leasedBefore, schema, paused, nodes);
        });
  }

  @Override
  public EventPage search(
      Connection conn, EventFilter filter, String after, int limit, int scanLimit) {
    Searches.Page page = new Searches.Page(after, limit, scanLimit);
    return alongIndexes(conn, (c, schema) -> searches.search(c, filter, page, schema));
  }

  @Override
  public EventPage candidates(
      Connection conn,
      OperatorAction action,
      EventFilter filter,
      Instant since,
      String after,
      int limit,
      int scanLimit) {
    Searches.Page page = new Searches.Page(after, limit, scanLimit);
    return alongIndexes(
        conn, (c, schema) -> searches.candidates(c, action, filter, since, page, schema));
  }

  @Override
  public Optional<OutboxEvent> find(Connection conn, String eventId) {
    String sql = context.waiting.reading(conn, findSql);
    return jdbc.query(conn, sql, context.columns::read, eventId).stream().findFirst();
  }

  @Override
  public List<EventSummary> summaries(Connection conn, Collection<String> eventIds) {
    return InLists.query(
        jdbc,
        conn,
        context.waiting.reading(conn, summarySql),
        eventIds.stream().distinct().sorted().toList(),
        " ORDER BY event_id",
        row -> SummaryColumns.read(context.product, row));
  }

  @Override
  public List<EventSummary> neighbors(Connection conn, OutboxEvent event, int each, int scanLimit) {
    return alongIndexes(conn, (c, schema) -> neighbors.around(c, event, each, scanLimit, schema));
  }

  @Override
  public Set<String> change(
      Connection conn, OperatorAction action, List<EventSummary> events, Instant now) {
    return changes.change(conn, action, events, now);
  }

  @Override
  public List<KeyBlock> blockedKeys(Connection conn, int limit) {
    return schemas.read(conn).hasTable("block") ? blocks.list(conn, LANES, limit) : List.of();
  }

  @Override
  public List<KeyBlock> blocksOf(Connection conn, Collection<EventKey> keys) {
    return !keys.isEmpty() && schemas.read(conn).hasTable("block")
        ? blocks.of(conn, keys)
        : List.of();
  }

  @Override
  public boolean unblock(Connection conn, String eventId) {
    return schemas.read(conn).hasTable("block") && jdbc.update(conn, unblockSql, eventId) > 0;
  }

  @Override
  public List<Member> members(Connection conn) {
    return members.isInstalled(conn) ? members.list(conn) : List.of();
  }

  @Override
  public List<DeliveryPause> pauses(Connection conn) {
    return isInstalled(conn)
        ? pauses(conn, hasHolds.get(() -> schemas.read(conn).hasTable("hold")))
        : List.of();
  }

  private List<DeliveryPause> pauses(Connection conn, boolean alsoHolds) {
    List<DeliveryPause> byType = pauses.list(conn);
    return alsoHolds ? Stream.concat(byType.stream(), holds.list(conn).stream()).toList() : byType;
  }

  @Override
  public boolean hold(Connection conn, DeliveryPause pause) {
    if (!schemas.read(conn).hasTable("hold")) {
      throw new IllegalStateException(
          "the table for pauses of tenants and destinations is missing: create it with"
              + " OutboxSchema.createHolds(dataSource, tableName), or ./outbox schema create");
    }
    hasHolds.forget();
    return holds.add(conn, pause);
  }

  @Override
  public boolean endHold(Connection conn, String tenantId, String destination) {
    return schemas.read(conn).hasTable("hold") && holds.remove(conn, tenantId, destination);
  }

  @Override
  public boolean pause(Connection conn, DeliveryPause pause) {
    return pauses.add(conn, pause);
  }

  @Override
  public boolean resume(Connection conn, String aggregateType, String eventType) {
    return pauses.remove(conn, aggregateType, eventType);
  }

  @Override
  public long openAudit(Connection conn, AuditEntry entry) {
    return auditLog.open(conn, entry);
  }

  @Override
  public void updateAudit(Connection conn, long id, long changed, Instant finishedAt) {
    auditLog.update(conn, id, changed, finishedAt);
  }

  @Override
  public List<AuditEntry> audit(Connection conn, Long before, int limit) {
    return isInstalled(conn) ? auditLog.list(conn, before, limit) : List.of();
  }
}
