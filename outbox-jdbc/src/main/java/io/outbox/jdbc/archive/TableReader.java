package io.outbox.jdbc.archive;

import io.outbox.jdbc.Addition;
import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.internal.Conditions;
import io.outbox.jdbc.internal.InLists;
import io.outbox.jdbc.internal.StoreContext;
import io.outbox.jdbc.internal.TableName;
import io.outbox.jdbc.internal.schema.Additions;
import io.outbox.model.OutboxEvent;
import io.outbox.operate.EventFilter;
import java.sql.Connection;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Reads the archive table along one of its indexes, and looks itself whether a row meets the other
 * conditions: whatever is asked for, a page reads a bounded number of rows.
 */
final class TableReader implements ArchiveReader {

  private static final int SCAN_LIMIT = 20_000;
  private static final int CHUNK = 1_000;

  private static final String ACTION = "read the archive";

  /** Of a replay, as its cursor goes. */
  private static final Comparator<OutboxEvent> ORDER =
      Comparator.comparing(OutboxEvent::createdAt).thenComparing(OutboxEvent::eventId);

  private final StoreContext context;
  private final JdbcTemplate jdbc;
  private final Additions schema;
  private final String scanSql;
  private final String oldestFirstSql;
  private final String wholeSql;

  TableReader(StoreContext context) {
    this.context = context;
    this.jdbc = context.with(Addition.ARCHIVE).template(ACTION);
    this.schema = new Additions(context.product, context.table, Addition.ARCHIVE);
    TableName archive = context.table.sibling("archive");
    String scan = "SELECT %s FROM %s WHERE %%s ORDER BY created_at%3$s, event_id%3$s LIMIT ?";
    this.scanSql = scan.formatted(ArchivedColumns.WITHOUT_PAYLOAD, archive, " DESC");
    this.oldestFirstSql = scan.formatted(ArchivedColumns.WITHOUT_PAYLOAD, archive, "");
    this.wholeSql = "SELECT %s FROM %s WHERE event_id IN ".formatted(ArchivedColumns.ALL, archive);
  }

  @Override
  public Page read(EventArchive archive, EventFilter filter, String after, int limit) {
    return archive.withTable(ACTION, (conn, known) -> page(conn, filter, after, limit, false));
  }

  @Override
  public Pages forReplay(EventArchive archive, EventFilter filter, String after) {
    if (after != null) {
      timeOf(after); // throws before anything is done
    }
    return new Pages() {
      private String place = after;

      @Override
      public Page next(int limit) {
        Page page =
            archive.withTable(
                ACTION, (conn, known) -> whole(conn, page(conn, filter, place, limit, true)));
        place = page.next();
        return page;
      }
    };
  }

  private Page whole(Connection conn, Page page) {
    List<String> ids = page.events().stream().map(OutboxEvent::eventId).toList();
    List<OutboxEvent> events = whole(conn, ids).stream().sorted(ORDER).toList();
    return new Page(events, page.next(), page.scanned(), page.scanLimited());
  }

  private Page page(
      Connection conn, EventFilter filter, String after, int limit, boolean oldestFirst) {
    FilterMatch match = new FilterMatch(filter);
    List<OutboxEvent> found = new ArrayList<>();
    String place = after;
    int scanned = 0;
    boolean more = true;
    while (more && found.size() < limit && scanned < SCAN_LIMIT) {
      List<OutboxEvent> rows = scan(conn, filter, place, oldestFirst);
      more = rows.size() == CHUNK;
      for (OutboxEvent row : rows) {
        if (found.size() == limit) {
          more = true;
          break;
        }
        scanned++;
        place = cursor(row);
        if (match.test(row)) {
          found.add(row);
        }
      }
    }
    return new Page(found, more ? place : null, scanned, more && found.size() < limit);
  }

  @Override
  public Optional<OutboxEvent> find(EventArchive archive, String eventId) {
    return archive.withTable(ACTION, (conn, known) -> whole(conn, List.of(eventId))).stream()
        .findFirst();
  }

  @Override
  public boolean exists(Connection conn) {
    return schema.hasTables(conn);
  }

  private List<OutboxEvent> scan(
      Connection conn, EventFilter filter, String after, boolean oldestFirst) {
    Conditions bounds = bounds(filter);
    if (after != null) {
      String id = ArchiveReader.placeOf(after)[1];
      Object at = context.time(timeOf(after));
      if (oldestFirst) {
        bounds.add("created_at >= ?", at).add("created_at > ? OR event_id > ?", at, id);
      } else {
        bounds.add("created_at <= ?", at).add("created_at < ? OR event_id < ?", at, id);
      }
    }
    List<Object> params = new ArrayList<>(bounds.params());
    params.add(CHUNK);
    return jdbc.query(
        conn,
        (oldestFirst ? oldestFirstSql : scanSql)
            .formatted(bounds.isEmpty() ? "1 = 1" : bounds.text()),
        row -> ArchivedColumns.read(context.product, row),
        params.toArray());
  }

  /** What an index leads to; that of an id leads to few events in most applications. */
  private Conditions bounds(EventFilter filter) {
    Conditions bounds = new Conditions();
    if (filter.aggregateId().isPresent()) {
      bounds.add("aggregate_id = ?", filter.aggregateId().get());
    } else if (filter.orderingKey().isPresent()) {
      bounds.add("ordering_key = ?", filter.orderingKey().get());
    } else if (filter.eventType().isPresent()) {
      bounds.add("event_type = ?", filter.eventType().get());
    }
    filter.createdFrom().ifPresent(at -> bounds.add("created_at >= ?", context.time(at)));
    filter.createdUntil().ifPresent(at -> bounds.add("created_at < ?", context.time(at)));
    return bounds;
  }

  private static String cursor(OutboxEvent row) {
    return ArchiveReader.cursor(row.createdAt().toString(), row.eventId());
  }

  private static Instant timeOf(String cursor) {
    try {
      return Instant.parse(ArchiveReader.placeOf(cursor)[0]);
    } catch (DateTimeException e) {
      throw ArchiveReader.unknown(cursor, e);
    }
  }

  private List<OutboxEvent> whole(Connection conn, List<String> ids) {
    return InLists.query(
        jdbc, conn, wholeSql, ids, "", row -> ArchivedColumns.read(context.product, row));
  }
}
