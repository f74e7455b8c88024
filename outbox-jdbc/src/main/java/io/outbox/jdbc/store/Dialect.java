package io.outbox.jdbc.store;

import io.outbox.jdbc.internal.Addition;
import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.internal.StoreContext;
import io.outbox.jdbc.internal.TableName;
import io.outbox.jdbc.internal.count.Backlogs;
import io.outbox.jdbc.internal.count.IndexedBacklogs;
import io.outbox.jdbc.internal.count.PostgresBacklogs;
import io.outbox.jdbc.internal.insert.EventInserts;
import io.outbox.jdbc.internal.insert.PostgresInserts;
import io.outbox.jdbc.internal.lanes.IndexedKeyEvents;
import io.outbox.jdbc.internal.lanes.JdbcLaneStore;
import io.outbox.jdbc.internal.lanes.JdbcMemberStore;
import io.outbox.jdbc.internal.lanes.PostgresKeyEvents;
import io.outbox.jdbc.internal.operate.JdbcOperatorStore;
import io.outbox.jdbc.internal.outcome.LeaseWrites;
import io.outbox.jdbc.internal.outcome.LockingLeaseWrites;
import io.outbox.jdbc.internal.outcome.OutcomeStatement;
import io.outbox.jdbc.internal.outcome.PostgresLeaseWrites;
import io.outbox.jdbc.internal.pending.LockingPendingEvents;
import io.outbox.jdbc.internal.pending.PendingEvents;
import io.outbox.jdbc.internal.pending.PostgresPendingEvents;
import io.outbox.spi.MemberStore;
import io.outbox.spi.OperatorStore;
import io.outbox.spi.lanes.LaneStore;

/** The statements for one table of one database, built once. */
record Dialect(
    StoreContext context,
    EventInserts inserts,
    PendingEvents pending,
    LeaseWrites leases,
    Backlogs backlogs,
    LaneStore lanes,
    MemberStore members,
    OperatorStore operator) {

  static Dialect h2(String table) {
    StoreContext context = new StoreContext(Product.H2, TableName.of(table));
    return new Dialect(
        context,
        new EventInserts(context, "?"),
        new LockingPendingEvents(context),
        new LockingLeaseWrites(context, OutcomeStatement.batched(context)),
        new IndexedBacklogs(context),
        lanes(context),
        members(context),
        new JdbcOperatorStore(context));
  }

  static Dialect mySql(String table) {
    StoreContext context = new StoreContext(Product.MYSQL, TableName.of(table));
    return new Dialect(
        context,
        new EventInserts(context, "?"),
        new LockingPendingEvents(context),
        new LockingLeaseWrites(context, OutcomeStatement.joined(context)),
        new IndexedBacklogs(context),
        lanes(context),
        members(context),
        new JdbcOperatorStore(context));
  }

  static Dialect postgres(String table) {
    StoreContext context = new StoreContext(Product.POSTGRESQL, TableName.of(table));
    return new Dialect(
        context,
        new PostgresInserts(context),
        new PostgresPendingEvents(context),
        new PostgresLeaseWrites(context),
        new PostgresBacklogs(context),
        lanes(context),
        members(context),
        new JdbcOperatorStore(context));
  }

  private static MemberStore members(StoreContext context) {
    return new JdbcMemberStore(context.with(Addition.MEMBERS));
  }

  private static LaneStore lanes(StoreContext context) {
    StoreContext ordered = context.with(Addition.ORDERED_BY_KEY);
    return new JdbcLaneStore(
        ordered,
        context.product == Product.POSTGRESQL
            ? new PostgresKeyEvents(ordered)
            : new IndexedKeyEvents(ordered));
  }
}
