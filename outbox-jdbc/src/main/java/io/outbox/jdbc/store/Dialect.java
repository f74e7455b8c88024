package io.outbox.jdbc.store;

import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.internal.TableName;

/** The statements for one table of one database, built once. */
record Dialect(
    StoreContext context,
    EventInserts inserts,
    PendingEvents pending,
    LeaseWrites leases,
    Backlogs backlogs,
    String currentTimeSql) {

  static Dialect h2(String table) {
    StoreContext context = new StoreContext(Product.H2, TableName.of(table));
    return new Dialect(
        context,
        new EventInserts(context, "?"),
        new LockingPendingEvents(context),
        new LockingLeaseWrites(context, OutcomeStatement.batched(context)),
        new IndexedBacklogs(context),
        "SELECT CURRENT_TIMESTAMP(6)");
  }

  static Dialect mySql(String table) {
    StoreContext context = new StoreContext(Product.MYSQL, TableName.of(table));
    return new Dialect(
        context,
        new EventInserts(context, "?"),
        new LockingPendingEvents(context),
        new LockingLeaseWrites(context, OutcomeStatement.joined(context)),
        new IndexedBacklogs(context),
        "SELECT UTC_TIMESTAMP(6)");
  }

  static Dialect postgres(String table) {
    StoreContext context = new StoreContext(Product.POSTGRESQL, TableName.of(table));
    return new Dialect(
        context,
        new PostgresInserts(context),
        new PostgresPendingEvents(context),
        new PostgresLeaseWrites(context),
        new PostgresBacklogs(context),
        "SELECT clock_timestamp()");
  }
}
