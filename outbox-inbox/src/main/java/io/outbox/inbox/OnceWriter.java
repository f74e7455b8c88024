package io.outbox.inbox;

import io.outbox.EventEnvelope;
import io.outbox.OutboxWriter;
import io.outbox.spi.EventPurger;
import io.outbox.spi.TxContext;
import java.sql.Connection;
import java.time.Clock;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
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
   * @return the id of the event; empty if one was written before, or a {@code WriterHook}
   *     suppressed this one, which leaves the key free
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
   * @return the ids of the events that were written, by key
   * @throws InboxException if the database failed, or another transaction interfered; roll back
   * @throws IllegalStateException if there is no transaction to write in
   */
  public Map<String, String> writeAllIfAbsent(Map<String, EventEnvelope> events) {
    Map<String, EventEnvelope> given = checked(events);
    Connection conn = transactions.connection();
    Map<String, InboxEntry> taken = new TreeMap<>();
    try {
      for (String key : new TreeMap<>(given).keySet()) {
        InboxEntry entry = new InboxEntry(key, CONSUMER);
        if (transactions.remember(conn, entry)) {
          taken.put(key, entry);
        }
      }
      given.keySet().retainAll(taken.keySet());
      return given.isEmpty() ? Map.of() : write(conn, given, taken);
    } catch (Throwable failure) {
      taken.values().forEach(entry -> transactions.forget(conn, entry, failure));
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

  /** What a hook suppressed was not written, and its key is free again. */
  private Map<String, String> write(
      Connection conn, Map<String, EventEnvelope> absent, Map<String, InboxEntry> taken) {
    List<String> ids = writer.writeAll(List.copyOf(absent.values()));
    List<String> given = absent.values().stream().map(EventEnvelope::eventId).toList();
    if (ids.size() == given.size() && !ids.containsAll(given)) {
      return inTheirPlaces(absent, ids);
    }
    Map<String, String> written = new LinkedHashMap<>();
    absent.forEach(
        (key, event) -> {
          if (ids.contains(event.eventId())) {
            written.put(key, event.eventId());
          } else {
            transactions.free(conn, taken.get(key));
          }
        });
    return written;
  }

  /** A hook has put other events in their places. */
  private static Map<String, String> inTheirPlaces(
      Map<String, EventEnvelope> absent, List<String> ids) {
    Map<String, String> written = new LinkedHashMap<>();
    Iterator<String> next = ids.iterator();
    absent.keySet().forEach(key -> written.put(key, next.next()));
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
