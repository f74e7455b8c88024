package io.outbox.jdbc.archive;

import io.outbox.jdbc.Addition;
import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.internal.Conditions;
import io.outbox.jdbc.internal.InLists;
import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.internal.StoreErrors;
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

  /** The newest first, as the cursor goes. */
  private static final Comparator<OutboxEvent> ORDER =
      Comparator.comparing(OutboxEvent::createdAt).thenComparing(OutboxEvent::eventId).reversed();

  private final Product product;
  private final JdbcTemplate jdbc;
  private final Additions schema;
  private final String scanSql;
  private final String oldestFirstSql;
  private final String wholeSql;

  TableReader(Product product, TableName table) {
    this.product = product;
    this.jdbc = new StoreErrors(product, table, Addition.ARCHIVE).template("read the archive");
    this.schema = new Additions(product, table, Addition.ARCHIVE);
    TableName archive = table.sibling("archive");
    String scan = "SELECT %s FROM %s WHERE %%s ORDER BY created_at%3$s, event_id%3$s LIMIT ?";
    this.scanSql = scan.formatted(ArchivedColumns.WITHOUT_PAYLOAD, archive, " DESC");
    this.oldestFirstSql = scan.formatted(ArchivedColumns.WITHOUT_PAYLOAD, archive, "");
    this.wholeSql = "SELECT %s FROM %s WHERE event_id IN ".formatted(ArchivedColumns.ALL, archive);
  }

  @Override
  public Page read(Connection conn, EventFilter filter, String after, int limit, boolean payloads) {
    Page page = page(conn, filter, after, limit, false);
    return payloads ? whole(conn, page, ORDER) : page;
  }

  @Override
  public Page readOldestFirst(Connection conn, EventFilter filter, String after, int limit) {
    return whole(conn, page(conn, filter, after, limit, true), ORDER.reversed());
  }

  private Page whole(Connection conn, Page page, Comparator<OutboxEvent> order) {
    List<OutboxEvent> events = whole(conn, idsOf(page.events())).stream().sorted(order).toList();
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
  public Optional<OutboxEvent> find(Connection conn, String eventId) {
    return whole(conn, List.of(eventId)).stream().findFirst();
  }

  @Override
  public boolean exists(Connection conn) {
    return schema.hasTables(conn);
  }

  private List<OutboxEvent> scan(
      Connection conn, EventFilter filter, String after, boolean oldestFirst) {
    Conditions bounds = bounds(filter);
    if (after != null) {
      String[] place = ArchiveReader.placeOf(after);
      Object at = product.parameter(instant(after, place[0]));
      if (oldestFirst) {
        bounds.add("created_at >= ?", at).add("created_at > ? OR event_id > ?", at, place[1]);
      } else {
        bounds.add("created_at <= ?", at).add("created_at < ? OR event_id < ?", at, place[1]);
      }
    }
    List<Object> params = new ArrayList<>(bounds.params());
    params.add(CHUNK);
    return jdbc.query(
        conn,
        (oldestFirst ? oldestFirstSql : scanSql)
            .formatted(bounds.isEmpty() ? "1 = 1" : bounds.text()),
        row -> ArchivedColumns.read(product, row),
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
    filter.createdFrom().ifPresent(at -> bounds.add("created_at >= ?", product.parameter(at)));
    filter.createdUntil().ifPresent(at -> bounds.add("created_at < ?", product.parameter(at)));
    return bounds;
  }

  private static String cursor(OutboxEvent row) {
    return ArchiveReader.cursor(row.createdAt().toString(), row.eventId());
  }

  private static Instant instant(String cursor, String text) {
    try {
      return Instant.parse(text);
    } catch (DateTimeException e) {
      throw ArchiveReader.unknown(cursor, e);
    }
  }

  private static List<String> idsOf(List<OutboxEvent> events) {
    return events.stream().map(OutboxEvent::eventId).toList();
  }

  private List<OutboxEvent> whole(Connection conn, List<String> ids) {
    return InLists.query(jdbc, conn, wholeSql, ids, "", row -> ArchivedColumns.read(product, row));
  }
}
