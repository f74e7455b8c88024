package io.outbox.jdbc.store;

import static io.outbox.model.EventStatus.DEAD;
import static io.outbox.model.EventStatus.DONE;
import static io.outbox.model.EventStatus.NEW;
import static io.outbox.model.EventStatus.RETRY;

import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.store.Walk.Tie;
import io.outbox.model.EventStatus;
import io.outbox.operate.EventFilter;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** The ways through a table of one product, and which of them lead to the rows that are wanted. */
final class Walks {

  private static final Set<EventStatus> PENDING = Set.of(NEW, RETRY);
  private static final Set<EventStatus> ANY = Set.of(EventStatus.values());
  private static final String KNOWN = "status IN (0, 1, 2, 3)";

  /** Along the primary key; an event never moves on it. */
  static final Walk BY_ID = new Walk('i', "PRIMARY", KNOWN, ANY, null, Tie.ID);

  private static final Walk BY_SEQ = new Walk('s', "seq", KNOWN, ANY, null, Tie.SEQ);

  /** Along indexes that are there only if somebody wants them. */
  static final Walk BY_AGGREGATE = new Walk('a', "op_aggregate", KNOWN, ANY, null, Tie.SEQ);

  static final Walk BY_KEY = new Walk('k', "op_key", KNOWN, ANY, null, Tie.SEQ);
  static final Walk BY_CREATION = new Walk('c', "op_created", KNOWN, ANY, "created_at", Tie.SEQ);

  private final Walk due;
  private final Walk leased;
  private final Walk retrying;
  private final Walk dead;
  private final Walk done;

  /** All rows, unless an optional index leads to them. */
  private final List<Walk> all;

  private Walks(Walk due, Walk leased, Walk retrying, Walk dead, Walk done, List<Walk> all) {
    this.due = due;
    this.leased = leased;
    this.retrying = retrying;
    this.dead = dead;
    this.done = done;
    this.all = all;
  }

  static Walks of(Product product) {
    return switch (product) {
      case POSTGRESQL -> postgres();
      case MYSQL -> mySql();
      case H2 -> h2();
    };
  }

  private static Walks postgres() {
    Walk due =
        new Walk(
            'd', "due", "status IN (0, 2) AND locked_by IS NULL", PENDING, "available_at", Tie.SEQ);
    Walk leased =
        new Walk(
            'l',
            "leased",
            "status IN (0, 2) AND locked_by IS NOT NULL",
            PENDING,
            "locked_at",
            Tie.SEQ);
    Walk finished =
        new Walk(
            'f',
            "finished",
            "status IN (1, 3)",
            Set.of(DONE, DEAD),
            "coalesce(done_at, created_at)",
            null);
    return new Walks(
        due,
        leased,
        new Walk('r', "retrying", "status = 2", Set.of(RETRY), "available_at", null),
        new Walk('x', "dead", "status = 3", Set.of(DEAD), "created_at", Tie.SEQ),
        finished,
        List.of(due, leased, finished));
  }

  private static Walks mySql() {
    return new Walks(
        new Walk('d', "due", "due_at IS NOT NULL", PENDING, "due_at", Tie.SEQ),
        new Walk('l', "leased", "leased_at IS NOT NULL", PENDING, "leased_at", Tie.SEQ),
        // finished_at is null there, and behind it every index has the primary key
        new Walk(
            'r', "finished", "status = 2 AND finished_at IS NULL", Set.of(RETRY), null, Tie.ID),
        new Walk('x', "finished", "status = 3", Set.of(DEAD), "finished_at", Tie.ID),
        new Walk('o', "finished", "status = 1", Set.of(DONE), "finished_at", Tie.ID),
        List.of(BY_SEQ));
  }

  private static Walks h2() {
    Walk due = new Walk('d', "due", "due_at IS NOT NULL", PENDING, "due_at", Tie.SEQ);
    Walk leased = new Walk('l', "leased", "leased_at IS NOT NULL", PENDING, "leased_at", Tie.SEQ);
    Walk dead = new Walk('x', "finished", "status = 3", Set.of(DEAD), "finished_at", null);
    Walk done = new Walk('o', "finished", "status = 1", Set.of(DONE), "finished_at", null);
    return new Walks(
        due,
        leased,
        new Walk('r', "finished", "status = 2", Set.of(RETRY), "available_at", Tie.SEQ),
        dead,
        done,
        List.of(due, leased, dead, done));
  }

  /** Ways to all rows; each row is on one of them. */
  List<Walk> all() {
    return all;
  }

  /** Ways to all rows that may match; each row is on one of them, and they can be merged. */
  List<Walk> leadingTo(EventFilter filter, Catalog catalog) {
    if (filter.idPrefix().isPresent()) {
      return List.of(BY_ID);
    }
    if (filter.aggregateId().isPresent() && catalog.hasIndex(BY_AGGREGATE.index())) {
      return List.of(BY_AGGREGATE);
    }
    if (filter.orderingKey().isPresent() && catalog.hasIndex(BY_KEY.index())) {
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
      return catalog.hasIndex(BY_CREATION.index()) ? List.of(BY_CREATION) : all;
    }
    if (wanted.equals(Set.of(RETRY))) {
      return List.of(retrying);
    }
    return merged(wanted, unleasedOnly);
  }

  private List<Walk> merged(Set<EventStatus> wanted, boolean unleasedOnly) {
    List<Walk> walks = new ArrayList<>();
    if (wanted.contains(NEW) || wanted.contains(RETRY)) {
      boolean retryOnly = !wanted.contains(NEW) && retrying.isTimed();
      if (retryOnly) {
        walks.add(retrying);
      } else {
        walks.add(due);
        if (!unleasedOnly) {
          walks.add(leased);
        }
      }
    }
    if (wanted.contains(DONE)) {
      walks.add(done);
    }
    if (wanted.contains(DEAD) && !(wanted.contains(DONE) && done.statuses().contains(DEAD))) {
      walks.add(dead);
    }
    return walks;
  }
}
