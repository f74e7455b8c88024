package io.outbox.jdbc.internal.subscription;

import io.outbox.jdbc.Addition;
import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.internal.StoreContext;
import io.outbox.jdbc.internal.StoreErrors;
import io.outbox.jdbc.internal.TableName;
import io.outbox.jdbc.internal.schema.Additions;
import io.outbox.model.EventRoute;
import io.outbox.spi.CopyCounts;
import io.outbox.spi.SubscriptionStore;
import io.outbox.subscription.Subscription;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;

/** The subscriptions of an outbox table, in a table beside it. */
public final class JdbcSubscriptionStore implements SubscriptionStore {

  private static final String SELECT =
      "SELECT aggregate_type, event_type, name, subscribed_at, ended_at FROM %s";

  private static final String ORDER = " ORDER BY aggregate_type, event_type, name";

  private static final String SAME = " WHERE aggregate_type = ? AND event_type = ? AND name = ?";

  private final StoreContext context;
  private final Additions schema;
  private final JdbcTemplate jdbc;
  private final TableName table;
  private final String most;
  private final CountedCopies copies;

  public JdbcSubscriptionStore(StoreContext context) {
    this.context = context;
    this.schema = new Additions(context.product, context.table, Addition.SUBSCRIPTIONS);
    this.jdbc = context.template("keep subscriptions");
    this.table = context.table.sibling("subscription");
    this.most = context.product.limit(MOST);
    this.copies = new CountedCopies(context);
  }

  @Override
  public boolean isInstalled(Connection conn) {
    return schema.missing(conn).isEmpty();
  }

  @Override
  public String howToInstall() {
    return StoreErrors.whereTheDdlIs(context.product, context.table, Addition.SUBSCRIPTIONS);
  }

  @Override
  public List<Subscription> list(Connection conn) {
    return jdbc.query(conn, SELECT.formatted(table) + ORDER + most, this::read);
  }

  @Override
  public List<Subscription> active(Connection conn) {
    return jdbc.query(
        conn, SELECT.formatted(table) + " WHERE ended_at IS NULL" + ORDER + most, this::read);
  }

  @Override
  public CopyCounts countCopies(Connection conn, int scanLimit) {
    return copies.count(conn, scanLimit);
  }

  private Subscription read(ResultSet row) throws SQLException {
    return new Subscription(
        new EventRoute(row.getString(1), row.getString(2)),
        row.getString(3),
        context.instant(row, 4),
        context.instant(row, 5));
  }

  @Override
  public boolean add(Connection conn, EventRoute route, String name, Instant since) {
    if (count(
            conn, "SELECT count(*) FROM %s" + SAME, route.aggregateType(), route.eventType(), name)
        > 0) {
      return false;
    }
    requireRoom(conn);
    update(
        conn,
        "INSERT INTO %s (aggregate_type, event_type, name, subscribed_at) VALUES (?, ?, ?, ?)",
        route.aggregateType(),
        route.eventType(),
        name,
        context.time(since));
    return true;
  }

  /** One that is not read would get no events, and nobody would notice. */
  private void requireRoom(Connection conn) {
    if (count(conn, "SELECT count(*) FROM %s") >= MOST) {
      throw new IllegalStateException(
          ("there are %s subscriptions in %s, which is the most:"
                  + " delete rows of ended ones that nobody needs")
              .formatted(MOST, table));
    }
  }

  @Override
  public boolean end(Connection conn, EventRoute route, String name, Instant until) {
    return change(conn, "ended_at = ?", until, route, name, "ended_at IS NULL");
  }

  @Override
  public boolean resume(Connection conn, EventRoute route, String name, Instant since) {
    String set = "ended_at = NULL, subscribed_at = ?";
    return change(conn, set, since, route, name, "ended_at IS NOT NULL");
  }

  private boolean change(
      Connection conn, String set, Instant at, EventRoute route, String name, String state) {
    String sql = "UPDATE %s SET " + set + SAME + " AND " + state;
    return update(conn, sql, context.time(at), route.aggregateType(), route.eventType(), name) > 0;
  }

  private int count(Connection conn, String sql, Object... params) {
    return jdbc.query(conn, sql.formatted(table), row -> row.getInt(1), params).get(0);
  }

  private int update(Connection conn, String sql, Object... params) {
    return jdbc.update(conn, sql.formatted(table), params);
  }
}
