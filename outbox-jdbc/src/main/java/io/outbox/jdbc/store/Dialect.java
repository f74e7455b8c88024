package io.outbox.jdbc.store;

import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.internal.TableName;
import io.outbox.spi.LaneStore;
import io.outbox.spi.MemberStore;
import io.outbox.spi.OperatorStore;

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
    return new JdbcMemberStore(context.listingNodes());
  }

  private static LaneStore lanes(StoreContext context) {
    StoreContext ordered = context.orderedByKey();
    return new JdbcLaneStore(
        ordered,
        context.product == Product.POSTGRESQL
            ? new PostgresKeyEvents(ordered)
            : new IndexedKeyEvents(ordered));
  }
}
