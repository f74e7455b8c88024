package io.outbox.spi;

import io.outbox.model.EventKey;
import io.outbox.model.OutboxEvent;
import io.outbox.operate.AuditEntry;
import io.outbox.operate.DeliveryPause;
import io.outbox.operate.EventFilter;
import io.outbox.operate.EventPage;
import io.outbox.operate.EventSummary;
import io.outbox.operate.OperatorAction;
import io.outbox.operate.Overview;
import io.outbox.spi.lanes.KeyBlock;
import java.sql.Connection;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * An operator's view of a store. Methods work on the given connection, in its transaction. All
 * reads are bounded, whatever the size of the table.
 */
public interface OperatorStore {

  /**
   * Whether the tables for pauses and audit are there. Without them events can be looked at, but
   * not changed.
   */
  boolean isInstalled(Connection conn);

  /**
   * An overview of the table.
   *
   * @param now the database's time
   * @param leasedBefore a pending event leased before this instant is stuck
   */
  Overview overview(Connection conn, Instant now, Instant leasedBefore);

  /**
   * Events that match, the newest first.
   *
   * @param after the {@code next} of the last page, or null for the first
   * @param limit how many events at most
   * @param scanLimit how many rows to look at, at most, where no index leads to the matching ones
   * @throws IllegalArgumentException if {@code after} is not from an earlier search
   */
  EventPage search(Connection conn, EventFilter filter, String after, int limit, int scanLimit);

  /**
   * As {@link #search}, for an action on all matches: events that it applies to, in an order in
   * which a changed event does not come again, whatever happens to that event during the action.
   *
   * @param since when the action began, by the database's time
   */
  EventPage candidates(
      Connection conn,
      OperatorAction action,
      EventFilter filter,
      Instant since,
      String after,
      int limit,
      int scanLimit);

  Optional<OutboxEvent> find(Connection conn, String eventId);

  /** Summaries of these events; missing events are left out. */
  List<EventSummary> summaries(Connection conn, Collection<String> eventIds);

  /**
   * Events with the same key as this one: those before and behind it, as many of each at most, in
   * the order of {@code seq}, without this one.
   *
   * @param scanLimit as for {@link #search}
   */
  List<EventSummary> neighbors(Connection conn, OutboxEvent event, int each, int scanLimit);

  /**
   * Does this to events that are still as they were read: same status, attempts and lease number.
   * Never waits for a locked row.
   *
   * @param now the database's time
   * @return the ids of the changed events
   */
  Set<String> change(
      Connection conn, OperatorAction action, List<EventSummary> events, Instant now);

  /** Blocked keys, the oldest first; empty if order by key is not in use. */
  List<KeyBlock> blockedKeys(Connection conn, int limit);

  /** The blocks of these keys, however many other keys are blocked. */
  default List<KeyBlock> blocksOf(Connection conn, Collection<EventKey> keys) {
    return blockedKeys(conn, 1000).stream().filter(block -> keys.contains(block.key())).toList();
  }

  /** Lifts the block that this event has put on its key; returns whether there was one. */
  boolean unblock(Connection conn, String eventId);

  /** The nodes that are alive, the oldest first; empty if the store does not keep that. */
  default List<Member> members(Connection conn) {
    return List.of();
  }

  /** The pauses, of all nodes; empty if {@link #isInstalled} says no. */
  List<DeliveryPause> pauses(Connection conn);

  /** Adds a pause; returns whether there was none for the same events. */
  boolean pause(Connection conn, DeliveryPause pause);

  /** Ends the pause for exactly these types, null meaning any; returns whether there was one. */
  boolean resume(Connection conn, String aggregateType, String eventType);

  /**
   * Adds a pause of a tenant or of a destination; returns whether there was none.
   *
   * @throws UnsupportedOperationException if the store keeps no such pauses
   */
  default boolean hold(Connection conn, DeliveryPause pause) {
    throw new UnsupportedOperationException("this store cannot pause a tenant or a destination");
  }

  /**
   * Ends the pause of this tenant, or of this destination; returns whether there was one.
   *
   * @param tenantId null if it is about a destination
   * @param destination null if it is about a tenant
   */
  default boolean endHold(Connection conn, String tenantId, String destination) {
    return false;
  }

  /** Records the beginning of an action; returns the id of the entry. */
  long openAudit(Connection conn, AuditEntry entry);

  /**
   * Adds to the count of an entry.
   *
   * @param finishedAt null if it goes on
   */
  void updateAudit(Connection conn, long id, long changed, Instant finishedAt);

  /**
   * What operators did, the newest first.
   *
   * @param before only entries with a smaller id; null for the newest
   */
  List<AuditEntry> audit(Connection conn, Long before, int limit);
}
