package io.outbox.jdbc.internal.insert;

import io.outbox.EventEnvelope;
import io.outbox.jdbc.internal.PostgresArrays;
import io.outbox.jdbc.internal.StoreContext;
import io.outbox.jdbc.internal.TableName;
import io.outbox.model.Lease;
import io.outbox.spi.NewEvent;
import java.sql.Array;
import java.sql.Connection;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/** Inserts many rows by one statement whose parameters are arrays, whatever their number. */
public final class PostgresInserts extends EventInserts {

  private static final long MAX_BYTES = 16 * 1024 * 1024;
  private static final int MAX_ROWS = 10_000;

  private final String sql;
  private final String lateSql;
  private final String finishedSql;

  public PostgresInserts(StoreContext context) {
    super(context);
    String now = context.product.currentTime();
    String due = "least(n.created_at, %s)".formatted(now);
    this.sql = sql(context.table, COLUMNS, due, NEW, "", "");
    this.lateSql =
        sql(
            context.table,
            COLUMNS + ", waiting_since",
            "CASE WHEN n.waiting_since IS NULL THEN least(n.created_at, %1$s) ELSE %1$s END"
                .formatted(now),
            NEW,
            ", n.waiting_since",
            ", ?::timestamptz[]");
    this.finishedSql = sql(context.table, COLUMNS + ", done_at", due, DONE, ", ?::timestamptz", "");
  }

  /** {@code more}: a column at the end, and {@code array}: its values if it differs by row. */
  private static String sql(
      TableName table, String columns, String due, int status, String more, String array) {
    // The numbers of seq are taken after sorting.
    return """
    INSERT INTO %s (%s)
    SELECT n.event_id, n.event_type, n.aggregate_type, n.aggregate_id, n.tenant_id,
      n.payload::json, n.payload_bytes, n.content_type, n.headers::json, n.ordering_key,
      n.partition_key, coalesce(n.delayed_until, %s), n.created_at,
      n.locked_by, n.locked_at, coalesce(n.lease_no, 0), coalesce(n.claims, 0), %s, 0%s
    FROM unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::bytea[],
        ?::text[], ?::text[], ?::text[], ?::text[], ?::timestamptz[], ?::timestamptz[],
        ?::text[], ?::timestamptz[], ?::bigint[], ?::int[]%s)
      WITH ORDINALITY AS n(event_id, event_type, aggregate_type, aggregate_id, tenant_id,
        payload, payload_bytes, content_type, headers, ordering_key, partition_key,
        delayed_until, created_at, locked_by, locked_at, lease_no, claims%s, position)
    ORDER BY n.position
    """
        .formatted(
            table,
            columns,
            due,
            status,
            more,
            array,
            array.isEmpty() ? "" : more.replace("n.", ""));
  }

  @Override
  int chunkSize(List<NewEvent> events) {
    return Math.min(MAX_ROWS, rowsWithin(MAX_BYTES, events));
  }

  @Override
  void insertChunk(Connection conn, List<NewEvent> chunk, Instant doneAt) {
    if (chunk.size() == 1) {
      super.insertChunk(conn, chunk, doneAt);
    } else {
      insertArrays(conn, chunk, doneAt);
    }
  }

  private void insertArrays(Connection conn, List<NewEvent> chunk, Instant doneAt) {
    List<EventEnvelope> envelopes = chunk.stream().map(NewEvent::envelope).toList();
    List<Lease> leases = having(chunk.stream().map(NewEvent::lease).toList(), lease -> lease);
    boolean late = doneAt == null && hasLate(conn, chunk);
    List<Object> params =
        new ArrayList<>(
            List.of(
                texts(conn, envelopes, EventEnvelope::eventId),
                texts(conn, envelopes, EventEnvelope::eventType),
                texts(conn, envelopes, EventEnvelope::aggregateType),
                texts(conn, envelopes, EventEnvelope::aggregateId),
                texts(conn, envelopes, EventEnvelope::tenantId),
                texts(conn, envelopes, EventEnvelope::payloadJson),
                bytes(conn, envelopes),
                texts(conn, envelopes, EventInserts::contentType),
                texts(conn, envelopes, EventInserts::headersJson),
                texts(conn, envelopes, EventEnvelope::orderingKey),
                texts(conn, envelopes, EventEnvelope::partitionKey),
                timestamps(conn, envelopes, EventInserts::delayedUntil),
                timestamps(conn, envelopes, EventEnvelope::occurredAt),
                texts(conn, leases, lease -> lease == null ? null : lease.owner()),
                timestamps(conn, leases, lease -> lease == null ? null : lease.lockedAt()),
                PostgresArrays.bigints(conn, leases, EventInserts::leaseNumber),
                PostgresArrays.ints(conn, leases, EventInserts::claims)));
    if (late) {
      params.add(PostgresArrays.timestamps(conn, chunk, EventInserts::waitingSince));
    }
    if (doneAt != null) {
      params.add(0, context.product.parameter(doneAt)); // it stands in front of the arrays
    }
    String kind = doneAt != null ? finishedSql : late ? lateSql : sql;
    template(chunk).update(conn, kind, params.toArray());
  }

  private static Array bytes(Connection conn, List<EventEnvelope> envelopes) {
    List<byte[]> bytes = new ArrayList<>(envelopes.size());
    envelopes.forEach(envelope -> bytes.add(envelope.payloadBytes()));
    return PostgresArrays.of(conn, "bytea", having(bytes, array -> array).toArray(byte[][]::new));
  }

  private static <T> Array texts(Connection conn, List<T> values, Function<T, String> text) {
    return PostgresArrays.texts(conn, having(values, text), text);
  }

  private static <T> Array timestamps(Connection conn, List<T> values, Function<T, Instant> time) {
    return PostgresArrays.timestamps(conn, having(values, time), time);
  }

  /** The server fills up short arrays with nulls: what no event has need not be sent. */
  private static <T> List<T> having(List<T> values, Function<T, ?> value) {
    return values.stream().map(value).allMatch(Objects::isNull) ? List.of() : values;
  }
}
