package io.outbox.inbox;

import io.outbox.EventEnvelope;
import io.outbox.OutboxWriter;
import io.outbox.spi.EventPurger;
import io.outbox.spi.TxContext;
import java.sql.Connection;
import java.time.Clock;
import java.time.Instant;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Writes an event once per key, in the caller's transaction: a second write with the same key, in
 * any transaction, writes nothing and says so. The keys are in a separate table in the database of
 * the outbox table, made by {@link InboxSchema#create(javax.sql.DataSource, String)}. Thread-safe.
 *
 * <p>A second writer waits for the transaction of the first: after a commit it writes nothing,
 * after a rollback it writes. Above READ COMMITTED it gets an {@link InboxException} instead, on
 * databases that refuse to look beyond their snapshot, and has to begin anew.
 */
public final class OnceWriter {

  /** The table, unless another is named. */
  public static final String DEFAULT_TABLE = "outbox_once";

  private static final String CONSUMER = "outbox";

  private final OutboxWriter writer;
  private final CallersTransactions transactions;
  private final Inbox keys;

  /** With the keys in {@value #DEFAULT_TABLE}. */
  public OnceWriter(OutboxWriter writer, TxContext txContext) {
    this(writer, txContext, DEFAULT_TABLE);
  }

  /**
   * With the keys in a table of another name.
   *
   * @param writer writes the events
   * @param txContext of the same transactions as the writer's
   * @throws IllegalArgumentException if the name is not valid
   */
  public OnceWriter(OutboxWriter writer, TxContext txContext, String tableName) {
    this.writer = Objects.requireNonNull(writer, "writer");
    Objects.requireNonNull(txContext, "txContext");
    InboxTable table = new InboxTable(tableName);
    this.transactions = new CallersTransactions(txContext, new InboxRows(table, Clock.systemUTC()));
    this.keys = Inbox.builder().txContext(txContext).tableName(tableName).build();
  }

  /**
   * Writes an event, unless one was written under this key.
   *
   * @param key at most 255 characters, compared to the letter
   * @return the id of the event, or of the first one that a {@code WriterHook} put in its place;
   *     empty if one was written before, or a hook suppressed this one, which leaves the key free
   * @throws InboxException if the database failed, or another transaction interfered; roll back
   * @throws IllegalStateException if there is no transaction to write in
   */
  public Optional<String> writeIfAbsent(String key, EventEnvelope event) {
    Objects.requireNonNull(event, "event");
    InboxEntry.check("the key", key, InboxEntry.MAX_EVENT_ID);
    return Optional.ofNullable(writeAllIfAbsent(Map.of(key, event)).get(key));
  }

  /**
   * Writes those events under whose key none was written, in the order of the map. Keys are taken
   * in their natural order, so that two batches never wait for each other.
   *
   * <p>A {@code WriterHook} that only suppresses events leaves their keys free. If it adds or
   * replaces any, all keys are taken.
   *
   * @return the ids of the events that were written, by key; without keys whose event is not among
   *     them, unless a hook replaced every event by one other
   * @throws InboxException if the database failed, or another transaction interfered; roll back
   * @throws IllegalStateException if there is no transaction to write in
   */
  public Map<String, String> writeAllIfAbsent(Map<String, EventEnvelope> events) {
    Map<String, EventEnvelope> given = checked(events);
    Connection conn = transactions.connection();
    Instant now = transactions.now();
    Map<String, InboxEntry> taken = new TreeMap<>();
    try {
      for (String key : new TreeMap<>(given).keySet()) {
        InboxEntry entry = new InboxEntry(key, CONSUMER);
        if (transactions.remember(conn, entry, now)) {
          taken.put(key, entry);
        }
      }
      given.keySet().retainAll(taken.keySet());
      if (given.isEmpty()) {
        return Map.of();
      }
      List<String> ids = writer.writeAll(List.copyOf(given.values()));
      Map<String, String> written = written(given, ids);
      if (ids.size() == written.size()) { // a hook may have suppressed others, and added none
        taken.keySet().removeAll(written.keySet());
        taken.values().forEach(entry -> transactions.free(conn, entry, now));
      }
      return written;
    } catch (Throwable failure) {
      taken.values().forEach(entry -> transactions.forget(conn, entry, now, failure));
      throw failure;
    }
  }

  private static Map<String, EventEnvelope> checked(Map<String, EventEnvelope> events) {
    Map<String, EventEnvelope> given =
        new LinkedHashMap<>(Objects.requireNonNull(events, "events"));
    given.forEach(
        (key, event) -> {
          InboxEntry.check("the key", key, InboxEntry.MAX_EVENT_ID);
          Objects.requireNonNull(event, () -> "the event of key " + key);
        });
    return given;
  }

  private static Map<String, String> written(Map<String, EventEnvelope> given, List<String> ids) {
    Set<String> known = new HashSet<>(ids);
    Map<String, String> written = new LinkedHashMap<>();
    given.forEach(
        (key, event) -> {
          if (known.contains(event.eventId())) {
            written.put(key, event.eventId());
          }
        });
    boolean paired = given.size() == 1 || ids.size() == given.size();
    return written.isEmpty() && !ids.isEmpty() && paired ? inTheirPlaces(given, ids) : written;
  }

  /** A hook has put other events in their places. */
  private static Map<String, String> inTheirPlaces(
      Map<String, EventEnvelope> given, List<String> ids) {
    Map<String, String> written = new LinkedHashMap<>();
    Iterator<String> next = ids.iterator();
    given.keySet().forEach(key -> written.put(key, next.next()));
    return written;
  }

  /**
   * Frees keys by age, for an {@link io.outbox.purge.OutboxPurgeScheduler} whose retention is how
   * long a key stays taken.
   */
  public EventPurger purger() {
    return keys.purger();
  }
}
