package io.outbox.jdbc.internal.search;

import static io.outbox.model.EventStatus.DEAD;
import static io.outbox.model.EventStatus.DONE;
import static io.outbox.model.EventStatus.NEW;
import static io.outbox.model.EventStatus.RETRY;

import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.internal.schema.SchemaSnapshot;
import io.outbox.jdbc.internal.search.SearchOrder.Tie;
import io.outbox.model.EventStatus;
import io.outbox.operate.EventFilter;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * The search orders of one product, and which of them have the rows that a filter wants.
 *
 * @param all for all rows, unless an optional index leads to them; each row is in one of them
 */
public record SearchOrders(
    SearchOrder due,
    SearchOrder leased,
    SearchOrder retrying,
    SearchOrder dead,
    SearchOrder done,
    List<SearchOrder> all) {

  private static final Set<EventStatus> PENDING = Set.of(NEW, RETRY);
  private static final Set<EventStatus> ANY = Set.of(EventStatus.values());
  private static final String KNOWN = "status IN (0, 1, 2, 3)";

  /** Along the primary key; an event never moves in it. */
  static final SearchOrder BY_ID = new SearchOrder('i', "PRIMARY", KNOWN, ANY, null, Tie.ID);

  private static final SearchOrder BY_SEQ = new SearchOrder('s', "seq", KNOWN, ANY, null, Tie.SEQ);

  /** Along indexes that are there only if somebody wants them. */
  static final SearchOrder BY_AGGREGATE =
      new SearchOrder('a', "op_aggregate", KNOWN, ANY, null, Tie.SEQ);

  static final SearchOrder BY_KEY = new SearchOrder('k', "op_key", KNOWN, ANY, null, Tie.SEQ);
  static final SearchOrder BY_CREATION =
      new SearchOrder('c', "op_created", KNOWN, ANY, "created_at", Tie.SEQ);

  /** Where these columns are generated, and null in all other rows. */
  private static final SearchOrder BY_DUE =
      new SearchOrder('d', "due", "due_at IS NOT NULL", PENDING, "due_at", Tie.SEQ);

  private static final SearchOrder BY_LEASE =
      new SearchOrder('l', "leased", "leased_at IS NOT NULL", PENDING, "leased_at", Tie.SEQ);

  public static SearchOrders of(Product product) {
    return switch (product.family()) {
      case POSTGRESQL -> postgres();
      case MYSQL -> mySql();
      case H2, OTHER -> h2();
    };
  }

  private static SearchOrders postgres() {
    SearchOrder due =
        new SearchOrder(
            'd', "due", "status IN (0, 2) AND locked_by IS NULL", PENDING, "available_at", Tie.SEQ);
    SearchOrder leased =
        new SearchOrder(
            'l',
            "leased",
            "status IN (0, 2) AND locked_by IS NOT NULL",
            PENDING,
            "locked_at",
            Tie.SEQ);
    SearchOrder finished =
        new SearchOrder(
            'f',
            "finished",
            "status IN (1, 3)",
            Set.of(DONE, DEAD),
            "coalesce(done_at, created_at)",
            null);
    return new SearchOrders(
        due,
        leased,
        new SearchOrder('r', "retrying", "status = 2", Set.of(RETRY), "available_at", null),
        new SearchOrder('x', "dead", "status = 3", Set.of(DEAD), "created_at", Tie.SEQ),
        finished,
        List.of(due, leased, finished));
  }

  private static SearchOrders mySql() {
    return new SearchOrders(
        BY_DUE,
        BY_LEASE,
        // finished_at is null there, and behind it every index has the primary key
        new SearchOrder(
            'r', "finished", "status = 2 AND finished_at IS NULL", Set.of(RETRY), null, Tie.ID),
        new SearchOrder('x', "finished", "status = 3", Set.of(DEAD), "finished_at", Tie.ID),
        new SearchOrder('o', "finished", "status = 1", Set.of(DONE), "finished_at", Tie.ID),
        List.of(BY_SEQ));
  }

  private static SearchOrders h2() {
    SearchOrder dead =
        new SearchOrder('x', "finished", "status = 3", Set.of(DEAD), "finished_at", null);
    SearchOrder done =
        new SearchOrder('o', "finished", "status = 1", Set.of(DONE), "finished_at", null);
    return new SearchOrders(
        BY_DUE,
        BY_LEASE,
        new SearchOrder('r', "finished", "status = 2", Set.of(RETRY), "available_at", Tie.SEQ),
        dead,
        done,
        List.of(BY_DUE, BY_LEASE, dead, done));
  }

  /** For all rows that may match; each row is in one of them, and they can be merged. */
  List<SearchOrder> leadingTo(EventFilter filter, SchemaSnapshot schema) {
    if (filter.idPrefix().isPresent()) {
      return List.of(BY_ID);
    }
    if (filter.aggregateId().isPresent() && schema.hasIndex(BY_AGGREGATE.index())) {
      return List.of(BY_AGGREGATE);
    }
    if (filter.orderingKey().isPresent() && schema.hasIndex(BY_KEY.index())) {
      return List.of(BY_KEY);
    }
    boolean leasedOnly = filter.leased().orElse(false) || filter.leasedBefore().isPresent();
    Set<EventStatus> wanted = EnumSet.allOf(EventStatus.class);
    if (!filter.statuses().isEmpty()) {
      wanted.retainAll(filter.statuses());
    }
    if (leasedOnly) {
      wanted.retainAll(PENDING);
      return wanted.isEmpty() ? List.of() : List.of(leased);
    }
    boolean unleasedOnly = filter.leased().isPresent();
    if (wanted.equals(ANY) && !unleasedOnly) {
      return schema.hasIndex(BY_CREATION.index()) ? List.of(BY_CREATION) : all;
    }
    if (wanted.equals(Set.of(RETRY))) {
      return List.of(retrying);
    }
    return merged(wanted, unleasedOnly);
  }

  private List<SearchOrder> merged(Set<EventStatus> wanted, boolean unleasedOnly) {
    List<SearchOrder> orders = new ArrayList<>();
    if (wanted.contains(NEW) || wanted.contains(RETRY)) {
      boolean retryOnly = !wanted.contains(NEW) && retrying.isTimed();
      if (retryOnly) {
        orders.add(retrying);
      } else {
        orders.add(due);
        if (!unleasedOnly) {
          orders.add(leased);
        }
      }
    }
    if (wanted.contains(DONE)) {
      orders.add(done);
    }
    if (wanted.contains(DEAD) && !(wanted.contains(DONE) && done.statuses().contains(DEAD))) {
      orders.add(dead);
    }
    return orders;
  }
}
