package io.outbox.jdbc.store;

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
final class Searches {

  private static final EventPage NOTHING = new EventPage(List.of(), null, 0, false);

  /** By so much a node's idea of the database's time may be wrong. */
  private static final Duration SKEW = Duration.ofSeconds(1);

  private final StoreContext context;
  private final Walks walks;
  private final FilterSql filters;
  private final Window window;

  Searches(StoreContext context, Walks walks) {
    this.context = context;
    this.walks = walks;
    this.filters = new FilterSql(context.product);
    this.window = new Window(context);
  }

  EventPage search(Connection conn, EventFilter filter, Page page, Catalog catalog) {
    return read(conn, ways(filter, page, catalog), filter, new Conditions(), page);
  }

  /** Which page: of how many events, behind which cursor, by looking at how many rows. */
  record Page(String after, int limit, int scanLimit) {}

  EventPage candidates(
      Connection conn,
      OperatorAction action,
      EventFilter filter,
      Instant since,
      Page page,
      Catalog catalog) {
    Set<EventStatus> statuses = EnumSet.copyOf(action.appliesTo());
    if (!filter.statuses().isEmpty()) {
      statuses.retainAll(filter.statuses());
    }
    if (statuses.isEmpty()) {
      return NOTHING;
    }
    EventFilter.Builder part = filter.toBuilder().statuses(statuses);
    if (action instanceof OperatorAction.Reschedule) {
      // It moves an event along every other walk, perhaps to where this has still to come.
      return read(conn, List.of(Walks.BY_ID), part.leased(false).build(), new Conditions(), page);
    }
    Conditions unchanged = new Conditions();
    if (action instanceof OperatorAction.Release) {
      // A later lease is another one.
      Instant before = filter.leasedBefore().filter(since::isAfter).orElse(since);
      part.leased(true).leasedBefore(before);
    } else if (!(action instanceof OperatorAction.Purge)) {
      unchanged.add("replayed_at IS NULL OR replayed_at < ?", context.product.parameter(since));
    }
    if (action instanceof OperatorAction.Replay) {
      // What dies later is no part of it, however old it is.
      Object begun = context.product.parameter(since.plus(SKEW));
      unchanged.add("done_at IS NULL OR done_at < ?", begun);
    }
    EventFilter wanted = part.build();
    return read(conn, ways(wanted, page, catalog), wanted, unchanged, page);
  }

  /** A search that began before there was an optional index goes on as it began. */
  private List<Walk> ways(EventFilter filter, Page page, Catalog catalog) {
    List<Walk> best = walks.leadingTo(filter, catalog);
    boolean begunOtherwise =
        page.after() != null
            && !SearchCursor.decode(page.after()).walks().equals(SearchCursor.codes(best));
    return begunOtherwise ? walks.leadingTo(filter, Catalog.none(context.table)) : best;
  }

  private EventPage read(
      Connection conn, List<Walk> ways, EventFilter filter, Conditions also, Page page) {
    if (ways.isEmpty()) {
      return NOTHING;
    }
    return new EventSearch(
            ways,
            page,
            (walk, start) ->
                WalkReader.of(
                    window,
                    walk,
                    filters.along(walk, filter),
                    filters.beside(walk, filter).addAll(also),
                    start))
        .read(conn);
  }
}
