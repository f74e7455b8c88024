package io.outbox.jdbc.internal.insert;

import io.outbox.EventEnvelope;
import io.outbox.jdbc.InsertStatement;
import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.internal.StoreContext;
import io.outbox.jdbc.internal.StoreErrors;
import io.outbox.jdbc.internal.TableName;
import io.outbox.model.EventStatus;
import io.outbox.model.Lease;
import io.outbox.spi.JsonCodec;
import io.outbox.spi.NewEvent;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.ToIntFunction;

/** Inserts many rows by one statement with as many VALUES. */
public class EventInserts {

  static final String COLUMNS =
      "event_id, event_type, aggregate_type, aggregate_id, tenant_id, payload, payload_bytes,"
          + " content_type, headers, ordering_key, partition_key, available_at, created_at,"
          + " locked_by, locked_at, lease_no, claims, status, attempts";

  static final int NEW = EventStatus.NEW.code();
  static final int DONE = EventStatus.DONE.code();

  /** MariaDB refuses statements of more than 16 MB at its default settings. */
  private static final long MAX_BYTES = 4 * 1024 * 1024;

  /** As a dialect may say at most. */
  private static final int MAX_ROWS = 128;

  /** Ids in a message. */
  private static final int MAX_SHOWN = 10;

  /** What the database's time is always the lesser of. */
  private static final Instant NEVER = Instant.parse("9999-12-31T00:00:00Z");

  final StoreContext context;
  private final Sql sql;
  private final Sql lateSql;
  private final Sql finishedSql;
  private final List<Class<?>> types; // of the values of a row

  public EventInserts(StoreContext context) {
    this.context = context;
    String due = dueSql(context.product);
    String row = "(?, ?, ?, ?, ?, %1$s, ?, ?, %1$s, ?, ?, %2$s, ?, ?, ?, ?, ?, %%s, 0%%s)";
    String values = row.formatted(context.product.jsonParameter(), due);
    this.sql = new Sql(context.table, COLUMNS, values.formatted(NEW, ""));
    this.lateSql =
        new Sql(context.table, COLUMNS + ", waiting_since", values.formatted(NEW, ", ?"));
    this.finishedSql = new Sql(context.table, COLUMNS + ", done_at", values.formatted(DONE, ", ?"));
    this.types = types(context.product.parameterType());
  }

  /** A statement for any number of rows. */
  private static final class Sql {
    private final String first;
    private final String row;
    private final AtomicReferenceArray<String> byRows = new AtomicReferenceArray<>(MAX_ROWS + 1);

    Sql(TableName table, String columns, String row) {
      this.first = "INSERT INTO " + table + " (" + columns + ") VALUES " + row;
      this.row = ", " + row;
    }

    String forRows(int rows) {
      String sql = byRows.get(rows);
      if (sql == null) {
        sql = first + row.repeat(rows - 1);
        byRows.set(rows, sql);
      }
      return sql;
    }
  }

  /** When the writer said, else at once: no clock but the database's may make an event wait. */
  private static String dueSql(Product product) {
    String instant = product.instantPlaceholder();
    return "COALESCE(%s, LEAST(%s, %s))".formatted(instant, instant, product.currentTime());
  }

  /** All or none, though the caller's transaction may go on. */
  public final void insert(Connection conn, List<NewEvent> events) {
    insert(conn, events, null);
  }

  /**
   * All or none.
   *
   * @param doneAt when they were finished; null if they are not
   */
  public final void insert(Connection conn, List<NewEvent> events, Instant doneAt) {
    List<List<NewEvent>> chunks = chunks(events, this::chunkSize);
    if (chunks.size() > 1) {
      context.atomically("insert events", conn, c -> insertAllOrNone(c, chunks, doneAt));
    } else if (!chunks.isEmpty()) {
      insertChunk(conn, chunks.get(0), doneAt);
    }
  }

  private Void insertAllOrNone(Connection conn, List<List<NewEvent>> chunks, Instant doneAt)
      throws SQLException {
    Savepoint before = conn.setSavepoint();
    try {
      chunks.forEach(chunk -> insertChunk(conn, chunk, doneAt));
    } catch (RuntimeException e) {
      rollBack(conn, before, e);
      throw e;
    }
    conn.releaseSavepoint(before);
    return null;
  }

  /** After a deadlock InnoDB has rolled back the whole transaction, its savepoints included. */
  private static void rollBack(Connection conn, Savepoint before, RuntimeException because) {
    try {
      conn.rollback(before);
    } catch (SQLException e) {
      because.addSuppressed(e);
    }
  }

  /**
   * The statements that insert {@code events}, for drivers other than JDBC's: without a connection,
   * nobody is asked which shape the table has.
   */
  public final List<InsertStatement> statements(List<NewEvent> events) {
    return chunks(events, this::fewRows).stream().map(this::statement).toList();
  }

  private InsertStatement statement(List<NewEvent> chunk) {
    boolean late = chunk.stream().anyMatch(NewEvent::late) && context.waiting.isKnownToBeKept();
    List<InsertStatement.Parameter> params = new ArrayList<>(chunk.size() * 19);
    for (NewEvent event : chunk) {
      List<Object> values = values(event, late && event.late());
      for (int i = 0; i < values.size(); i++) {
        params.add(new InsertStatement.Parameter(types.get(i), values.get(i)));
      }
      if (late) {
        Object since = context.product.parameter(waitingSince(event));
        params.add(new InsertStatement.Parameter(context.product.parameterType(), since));
      }
    }
    return new InsertStatement(
        (late ? lateSql : sql).forRows(chunk.size()), params, e -> failure(chunk, e));
  }

  private static List<List<NewEvent>> chunks(
      List<NewEvent> events, ToIntFunction<List<NewEvent>> chunkSize) {
    List<List<NewEvent>> chunks = new ArrayList<>();
    for (int from = 0; from < events.size(); ) {
      int size = chunkSize.applyAsInt(events.subList(from, events.size()));
      chunks.add(events.subList(from, from + size));
      from += size;
    }
    return chunks;
  }

  /** How many of {@code events} go into the next statement. */
  int chunkSize(List<NewEvent> events) {
    return fewRows(events);
  }

  private int fewRows(List<NewEvent> events) {
    return Math.min(context.product.rowsPerInsert(), rowsWithin(MAX_BYTES, events));
  }

  static int rowsWithin(long maxBytes, List<NewEvent> events) {
    int rows = 0;
    long bytes = 0;
    for (NewEvent event : events) {
      bytes += event.envelope().payloadSize();
      if (rows > 0 && bytes > maxBytes) {
        break;
      }
      rows++;
    }
    return rows;
  }

  void insertChunk(Connection conn, List<NewEvent> chunk, Instant doneAt) {
    List<Object> params = new ArrayList<>(chunk.size() * 19);
    boolean late = doneAt == null && hasLate(conn, chunk);
    for (NewEvent event : chunk) {
      params.addAll(values(event, late && event.late()));
      if (late) {
        params.add(context.product.parameter(waitingSince(event)));
      } else if (doneAt != null) {
        params.add(context.product.parameter(doneAt));
      }
    }
    Sql kind = doneAt != null ? finishedSql : late ? lateSql : sql;
    template(chunk).update(conn, kind.forRows(chunk.size()), params.toArray());
  }

  /** A table of an earlier shape could not tell them from delayed ones. */
  final boolean hasLate(Connection conn, List<NewEvent> chunk) {
    return chunk.stream().anyMatch(NewEvent::late) && context.waiting.isKept(conn);
  }

  /** Null if it becomes due when it says. */
  static Instant waitingSince(NewEvent event) {
    return event.late() && !event.envelope().isDelayed() ? event.envelope().occurredAt() : null;
  }

  private List<Object> values(NewEvent event, boolean late) {
    EventEnvelope envelope = event.envelope();
    Lease lease = event.lease();
    Product product = context.product;
    return Arrays.asList(
        envelope.eventId(),
        envelope.eventType(),
        envelope.aggregateType(),
        envelope.aggregateId(),
        envelope.tenantId(),
        envelope.payloadJson(),
        envelope.payloadBytes(),
        contentType(envelope),
        headersJson(envelope),
        envelope.orderingKey(),
        envelope.partitionKey(),
        product.parameter(delayedUntil(envelope)),
        product.parameter(late ? NEVER : envelope.occurredAt()),
        product.parameter(envelope.occurredAt()),
        lease == null ? null : lease.owner(),
        lease == null ? null : product.parameter(lease.lockedAt()),
        leaseNumber(lease),
        claims(lease));
  }

  private static List<Class<?>> types(Class<?> time) {
    Class<?> text = String.class;
    return List.of(
        text, // event_id
        text, // event_type
        text, // aggregate_type
        text, // aggregate_id
        text, // tenant_id
        text, // payload
        byte[].class,
        text, // content_type
        text, // headers
        text, // ordering_key
        text, // partition_key
        time, // delayed until
        time, // due at the latest
        time, // created_at
        text, // locked_by
        time, // locked_at
        Long.class,
        Integer.class);
  }

  /** Null if the writer asked for no delay. */
  static Instant delayedUntil(EventEnvelope envelope) {
    return envelope.isDelayed() ? envelope.availableAt() : null;
  }

  /** What is JSON needs no type. */
  static String contentType(EventEnvelope envelope) {
    return envelope.payloadJson() == null ? envelope.contentType() : null;
  }

  static String headersJson(EventEnvelope envelope) {
    return envelope.headers().isEmpty() ? null : JsonCodec.getDefault().toJson(envelope.headers());
  }

  static long leaseNumber(Lease lease) {
    return lease == null ? 0 : lease.number();
  }

  /** A lease given at birth counts: that delivery may kill the process too. */
  static int claims(Lease lease) {
    return lease == null ? 0 : 1;
  }

  final JdbcTemplate template(List<NewEvent> chunk) {
    return new JdbcTemplate(e -> failure(chunk, e));
  }

  private OutboxStoreException failure(List<NewEvent> chunk, SQLException e) {
    return context.product.isDuplicateKey(e)
        ? duplicate(chunk, e)
        : context.errors.describe("insert events", e);
  }

  /** Databases name the first duplicate in their message; not every driver passes that on. */
  private OutboxStoreException duplicate(List<NewEvent> chunk, SQLException e) {
    List<String> ids = chunk.stream().map(event -> event.envelope().eventId()).toList();
    List<String> named = ids.stream().filter(id -> e.getMessage().contains(id)).toList();
    boolean unknown = named.isEmpty() && ids.size() > 1;
    List<String> shown = named.isEmpty() ? ids.subList(0, Math.min(MAX_SHOWN, ids.size())) : named;
    return new OutboxStoreException(
        "could not insert events in table %s: %s already exists: %s%s (%s)"
            .formatted(
                context.table,
                unknown ? "one of the event ids" : "the event id",
                String.join(", ", shown),
                unknown && shown.size() < ids.size() ? ", …" : "",
                StoreErrors.said(e)),
        e);
  }
}
