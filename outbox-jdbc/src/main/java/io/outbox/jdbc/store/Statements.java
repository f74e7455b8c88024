package io.outbox.jdbc.store;

import io.outbox.jdbc.Addition;
import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.internal.StoreContext;
import io.outbox.jdbc.internal.TableName;
import io.outbox.jdbc.internal.count.EventCounts;
import io.outbox.jdbc.internal.insert.EventInserts;
import io.outbox.jdbc.internal.insert.PostgresInserts;
import io.outbox.jdbc.internal.lanes.IndexedKeyEvents;
import io.outbox.jdbc.internal.lanes.JdbcLaneStore;
import io.outbox.jdbc.internal.lanes.JdbcMemberStore;
import io.outbox.jdbc.internal.lanes.KeyEvents;
import io.outbox.jdbc.internal.lanes.PostgresKeyEvents;
import io.outbox.jdbc.internal.operate.JdbcOperatorStore;
import io.outbox.jdbc.internal.outcome.LeaseWrites;
import io.outbox.jdbc.internal.outcome.LockingLeaseWrites;
import io.outbox.jdbc.internal.outcome.OutcomeStatement;
import io.outbox.jdbc.internal.outcome.PostgresLeaseWrites;
import io.outbox.jdbc.internal.pending.LockingPendingEvents;
import io.outbox.jdbc.internal.pending.PendingEvents;
import io.outbox.jdbc.internal.pending.PostgresPendingEvents;
import io.outbox.jdbc.internal.subscription.JdbcSubscriptionStore;
import io.outbox.spi.MemberStore;
import io.outbox.spi.OperatorStore;
import io.outbox.spi.SubscriptionStore;
import io.outbox.spi.lanes.LaneStore;
import java.util.Optional;
import java.util.function.Function;

/** The statements for one table of one database, built once. */
record Statements(
    StoreContext context,
    EventInserts inserts,
    PendingEvents pending,
    LeaseWrites leases,
    EventCounts counts,
    Optional<LaneStore> lanes,
    Optional<MemberStore> members,
    Optional<OperatorStore> operator,
    Optional<SubscriptionStore> subscriptions) {

  static Statements of(Product product, String table) {
    StoreContext context = new StoreContext(product, TableName.of(table));
    return switch (product.family()) {
      case H2, OTHER -> locking(context, OutcomeStatement.batched(context));
      case MYSQL -> locking(context, OutcomeStatement.atOnce(context));
      case POSTGRESQL ->
          of(
              context,
              new PostgresInserts(context),
              new PostgresPendingEvents(context),
              new PostgresLeaseWrites(context),
              PostgresKeyEvents::new);
    };
  }

  /** For databases without RETURNING. */
  private static Statements locking(StoreContext context, OutcomeStatement outcomes) {
    return of(
        context,
        new EventInserts(context),
        new LockingPendingEvents(context),
        new LockingLeaseWrites(context, outcomes),
        IndexedKeyEvents::new);
  }

  /** What the database does not offer is empty, and refused when an outbox is built. */
  private static Statements of(
      StoreContext context,
      EventInserts inserts,
      PendingEvents pending,
      LeaseWrites leases,
      Function<StoreContext, KeyEvents> keys) {
    return new Statements(
        context,
        inserts,
        pending,
        leases,
        EventCounts.of(context),
        offered(
            context, Addition.ORDERED_BY_KEY, with -> new JdbcLaneStore(with, keys.apply(with))),
        offered(context, Addition.MEMBERS, JdbcMemberStore::new),
        offered(context, Addition.OPERATOR, with -> new JdbcOperatorStore(context)),
        offered(context, Addition.SUBSCRIPTIONS, JdbcSubscriptionStore::new));
  }

  private static <T> Optional<T> offered(
      StoreContext context, Addition addition, Function<StoreContext, ? extends T> store) {
    return context.product.offers(addition)
        ? Optional.of(store.apply(context.with(addition)))
        : Optional.empty();
  }
}
