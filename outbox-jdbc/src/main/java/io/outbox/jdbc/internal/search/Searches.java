package io.outbox.jdbc.internal.search;

import io.outbox.jdbc.internal.Conditions;
import io.outbox.jdbc.internal.StoreContext;
import io.outbox.jdbc.internal.schema.SchemaSnapshot;
import io.outbox.model.EventStatus;
import io.outbox.operate.EventFilter;
import io.outbox.operate.EventPage;
import io.outbox.operate.OperatorAction;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Finds events for a list, and for an action on all that matches. */
public final class Searches {

  private static final EventPage NOTHING = new EventPage(List.of(), null, 0, false);

  /** By so much a node's idea of the database's time may be wrong. */
  private static final Duration SKEW = Duration.ofSeconds(1);

  private final StoreContext context;
  private final SearchOrders orders;
  private final FilterSql filters;
  private final IndexScan scan;

  public Searches(StoreContext context, SearchOrders orders) {
    this.context = context;
    this.orders = orders;
    this.filters = new FilterSql(context.product);
    this.scan = new IndexScan(context);
  }

  public EventPage search(Connection conn, EventFilter filter, Page page, SchemaSnapshot schema) {
    return read(conn, ways(filter, page, schema), filter, new Conditions(), page);
  }

  /** Which page: of how many events, behind which cursor, by looking at how many rows. */
  public record Page(String after, int limit, int scanLimit) {}

  public EventPage candidates(
      Connection conn,
      OperatorAction action,
      EventFilter filter,
      Instant since,
      Page page,
      SchemaSnapshot schema) {
    Set<EventStatus> statuses = EnumSet.copyOf(action.appliesTo());
    if (!filter.statuses().isEmpty()) {
      statuses.retainAll(filter.statuses());
    }
    if (statuses.isEmpty()) {
      return NOTHING;
    }
    EventFilter.Builder part = filter.toBuilder().statuses(statuses);
    if (action instanceof OperatorAction.Reschedule) {
      // It moves an event in every other order, perhaps to where this has still to come.
      return read(
          conn, List.of(SearchOrders.BY_ID), part.leased(false).build(), new Conditions(), page);
    }
    if (action instanceof OperatorAction.Release) {
      // A later lease is another one.
      Instant before = filter.leasedBefore().filter(since::isAfter).orElse(since);
      part.leased(true).leasedBefore(before);
    }
    EventFilter wanted = part.build();
    return read(conn, ways(wanted, page, schema), wanted, unchanged(action, since), page);
  }

  /** What is true of an event that nothing has happened to since the action began. */
  private Conditions unchanged(OperatorAction action, Instant since) {
    Conditions unchanged = new Conditions();
    if (!(action instanceof OperatorAction.Release || action instanceof OperatorAction.Purge)) {
      unchanged.add("replayed_at IS NULL OR replayed_at < ?", context.time(since));
    }
    if (action instanceof OperatorAction.Replay) {
      // What dies later is no part of it, however old it is.
      unchanged.add("done_at IS NULL OR done_at < ?", context.time(since.plus(SKEW)));
    }
    return unchanged;
  }

  /** A search that began before there was an optional index goes on as it began. */
  private List<SearchOrder> ways(EventFilter filter, Page page, SchemaSnapshot schema) {
    List<SearchOrder> best = orders.leadingTo(filter, schema);
    boolean begunOtherwise =
        page.after() != null
            && !SearchCursor.decode(page.after()).orders().equals(SearchCursor.codes(best));
    return begunOtherwise ? orders.leadingTo(filter, SchemaSnapshot.none(context.table)) : best;
  }

  private EventPage read(
      Connection conn, List<SearchOrder> ways, EventFilter filter, Conditions also, Page page) {
    if (ways.isEmpty()) {
      return NOTHING;
    }
    return new EventSearch(
            ways,
            page,
            (order, start) ->
                OrderReader.of(
                    scan,
                    new IndexScan.Request(
                        order,
                        filters.along(order, filter),
                        filters.beside(order, filter).addAll(also),
                        start),
                    FilterSql.exactly(filter)))
        .read(conn);
  }
}
