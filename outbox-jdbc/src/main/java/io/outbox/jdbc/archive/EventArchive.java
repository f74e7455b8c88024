package io.outbox.jdbc.archive;

import io.outbox.internal.tx.OwnTransaction;
import io.outbox.jdbc.Addition;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.internal.StoreContext;
import io.outbox.jdbc.internal.StoreErrors;
import io.outbox.jdbc.internal.TableName;
import io.outbox.jdbc.store.AbstractJdbcOutboxStore;
import io.outbox.model.OutboxEvent;
import io.outbox.operate.ActionProgress;
import io.outbox.operate.EventFilter;
import io.outbox.operate.EventPage;
import io.outbox.operate.EventSummary;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.OutboxStore;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/**
 * Finds events that an {@link ArchivingPurger} has moved to an archive, and replays them from it.
 * Replays are written to the audit of the outbox table. Thread-safe. Throws {@link
 * OutboxStoreException} if the database or the files cannot be read.
 */
public final class EventArchive {

  private static final int MOST = 1_000;

  private final ConnectionProvider connections;
  private final AbstractJdbcOutboxStore store;
  private final Function<StoreContext, ArchiveReader> readers;
  private final String place;
  private final String actor;

  private EventArchive(
      ConnectionProvider connections,
      AbstractJdbcOutboxStore store,
      Function<StoreContext, ArchiveReader> readers,
      String place,
      String actor) {
    this.connections = Objects.requireNonNull(connections, "connectionProvider");
    this.store = store;
    this.readers = readers;
    this.place = place;
    this.actor = actor;
  }

  /**
   * The archive table beside the store's table; see {@link ArchivingPurger#toTable}.
   *
   * @throws IllegalArgumentException if it is not a store of this module
   */
  public static EventArchive ofTable(
      ConnectionProvider connectionProvider, OutboxStore outboxStore) {
    return new EventArchive(
        connectionProvider, jdbc(outboxStore), TableReader::new, "the archive table", user());
  }

  /**
   * Files with events of the store's table; see {@link ArchivingPurger#toFiles}.
   *
   * @throws IllegalArgumentException if it is not a store of this module
   */
  public static EventArchive ofFiles(
      ConnectionProvider connectionProvider, OutboxStore outboxStore, Path directory) {
    Objects.requireNonNull(directory, "directory");
    return new EventArchive(
        connectionProvider,
        jdbc(outboxStore),
        context -> new FileReader(directory, context.table),
        directory.toString(),
        user());
  }

  private static AbstractJdbcOutboxStore jdbc(OutboxStore store) {
    if (Objects.requireNonNull(store, "outboxStore") instanceof AbstractJdbcOutboxStore jdbc) {
      return jdbc;
    }
    throw new IllegalArgumentException(
        store + " has no archive: only stores of outbox-jdbc have one");
  }

  private static String user() {
    return System.getProperty("user.name", "unknown");
  }

  /** The same, acting under this name. */
  public EventArchive as(String name) {
    if (name.isBlank()) {
      throw new IllegalArgumentException("a replay needs a name, for the audit");
    }
    return new EventArchive(connections, store, readers, place, name);
  }

  /** Whether the archive is there: its table, or its directory. */
  public boolean exists() {
    return withTable(
        "look for the archive", (conn, context) -> readers.apply(context).exists(conn));
  }

  /** Where it is, for people. */
  public String place() {
    return place;
  }

  /**
   * Events that match; in a table those created last come first, in files those archived last. A
   * page looks at about 20,000 events at most: see {@link EventPage#scanLimited()}. In files an
   * event may come twice.
   *
   * @param after the {@link EventPage#next()} of the last page; null for the first
   */
  public EventPage search(EventFilter filter, String after, int limit) {
    Objects.requireNonNull(filter, "filter");
    requirePositive("limit", limit);
    ArchiveReader.Page page = reader().read(this, filter, after, Math.min(limit, MOST));
    return new EventPage(
        page.events().stream().map(EventSummary::of).toList(),
        page.next(),
        page.scanned(),
        page.scanLimited());
  }

  /** The whole event; in files every event may have to be looked at. */
  public Optional<OutboxEvent> find(String eventId) {
    Objects.requireNonNull(eventId, "eventId");
    if (eventId.isEmpty() || eventId.indexOf('\0') >= 0) {
      return Optional.empty();
    }
    return reader().find(this, eventId);
  }

  /** Replays all events that match; see the other form. */
  public ArchiveReplay replay(EventFilter filter) {
    return replay(filter, Long.MAX_VALUE, ActionProgress.Listener.NONE);
  }

  /** Replays from the beginning; see the other form. */
  public ArchiveReplay replay(EventFilter filter, long limit, ActionProgress.Listener listener) {
    return replay(filter, null, limit, listener);
  }

  /**
   * Makes archived events pending again: each is inserted into the outbox table under its id, as
   * NEW, without attempts, due at once, and behind all events of its key. The archive keeps it. An
   * event that the outbox table has, in whatever status, is left alone; replay that one there.
   * Works in batches, each in a transaction.
   *
   * @param after the {@link ArchiveReplay#next()} of a replay with the same filter that ended
   *     early; null for a new one
   * @param limit how many events at most
   * @param listener told after each batch; may stop it
   * @throws IllegalArgumentException if {@code after} is not from a replay of this archive with an
   *     equal filter
   * @throws IllegalStateException if the table for the audit is missing
   * @throws ArchiveReplayException if it fails after its first batch; it says where to continue
   */
  public ArchiveReplay replay(
      EventFilter filter, String after, long limit, ActionProgress.Listener listener) {
    Objects.requireNonNull(filter, "filter");
    Objects.requireNonNull(listener, "listener");
    requirePositive("limit", limit);
    ReplayMark mark = ReplayMark.of(store.tableName(), filter);
    String place = mark.removeFrom(after);
    try (ArchiveReader.Pages pages = reader().forReplay(this, filter, place)) {
      ArchiveReader.Pages marked = size -> mark.addTo(pages.next(size));
      return new ReplayRun(this, filter.toString(), marked, limit, listener).run();
    }
  }

  /**
   * Replays one event, as the other forms do.
   *
   * @return false if the archive does not have it, or the outbox table has it
   * @throws IllegalStateException if the table for the audit is missing
   */
  public boolean replay(String eventId) {
    Objects.requireNonNull(eventId, "eventId");
    return find(eventId)
        .map(event -> new ReplayRun(this, event).run().replayed() > 0)
        .orElse(false);
  }

  /** It reads later, so that no transaction is open while files are read. */
  private ArchiveReader reader() {
    return withTable("read the archive", (conn, context) -> readers.apply(context));
  }

  private static void requirePositive(String name, long value) {
    if (value < 1) {
      throw new IllegalArgumentException(name + " must be at least 1: " + value);
    }
  }

  // ---- for the run of a replay

  AbstractJdbcOutboxStore store() {
    return store;
  }

  String actor() {
    return actor;
  }

  /** Work on the table, in a transaction. */
  @FunctionalInterface
  interface Work<T> {
    T run(Connection conn, StoreContext context);
  }

  <T> T withTable(String action, Work<T> work) {
    TableName table = TableName.any(store.tableName());
    try (OwnTransaction own = OwnTransaction.begin(connections)) {
      Connection conn = own.connection();
      StoreContext context = context(conn, table);
      context.product.prepareTransaction(conn);
      T result = work.run(conn, context);
      own.commit();
      return result;
    } catch (SQLException e) {
      throw new OutboxStoreException(
          "could not " + action + " of table " + table + ": " + StoreErrors.said(e), e);
    }
  }

  /** What statements on a table share; the connection says which database it is. */
  static StoreContext context(Connection conn, TableName table) throws SQLException {
    return Product.of(conn.getMetaData())
        .filter(known -> known.offers(Addition.ARCHIVE))
        .map(known -> new StoreContext(known, table))
        .orElseThrow(() -> new OutboxStoreException("there is no archive for this database"));
  }
}
