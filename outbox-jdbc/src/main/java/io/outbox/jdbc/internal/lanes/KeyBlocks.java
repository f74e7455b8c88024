package io.outbox.jdbc.internal.lanes;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.internal.InLists;
import io.outbox.jdbc.internal.StorableText;
import io.outbox.jdbc.internal.StoreContext;
import io.outbox.jdbc.internal.TableName;
import io.outbox.model.EventKey;
import io.outbox.spi.lanes.KeyBlock;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/** The keys that wait because one of their events is dead. */
public final class KeyBlocks {

  private final StoreContext context;
  private final JdbcTemplate jdbc;
  private final String insertSql;
  private final String deleteSql;
  private final String ofLanesSql;
  private final String ofKeysSql;

  public KeyBlocks(StoreContext context) {
    this.context = context;
    this.jdbc = context.template("keep the blocked keys");
    TableName table = context.table.sibling("block");
    this.insertSql = insertSql(context).formatted(table);
    this.deleteSql = "DELETE FROM %s WHERE key_name IN ".formatted(table);
    String select = "SELECT lane, key_name, event_id, blocked_at, reason FROM " + table;
    this.ofLanesSql = select + " WHERE lane IN ";
    this.ofKeysSql = select + " WHERE key_name IN ";
  }

  private static String insertSql(StoreContext context) {
    String insert =
        "INSERT INTO %s (key_name, lane, event_id, blocked_at, reason) VALUES (?, ?, ?, ?, ?)";
    return switch (context.product.family()) {
      case H2, OTHER ->
          """
          MERGE INTO %s b
          USING (VALUES (CAST(? AS VARCHAR), CAST(? AS INT), CAST(? AS VARCHAR),
              CAST(? AS TIMESTAMP(6) WITH TIME ZONE), CAST(? AS CHARACTER LARGE OBJECT)))
            n (key_name, lane, event_id, blocked_at, reason)
          ON b.key_name = n.key_name
          WHEN NOT MATCHED THEN INSERT (key_name, lane, event_id, blocked_at, reason)
            VALUES (n.key_name, n.lane, n.event_id, n.blocked_at, n.reason)
          """;
      case POSTGRESQL -> insert + " ON CONFLICT DO NOTHING";
      case MYSQL -> insert + " ON DUPLICATE KEY UPDATE lane = VALUES(lane)";
    };
  }

  void add(Connection conn, Collection<KeyBlock> blocks) {
    List<Object[]> rows =
        blocks.stream()
            .sorted(Comparator.comparing(block -> block.key().name()))
            .map(
                block ->
                    new Object[] {
                      block.key().name(),
                      block.key().lane(),
                      block.eventId(),
                      context.time(block.since()),
                      StorableText.error(block.reason())
                    })
            .toList();
    if (!rows.isEmpty()) {
      jdbc.updateBatch(conn, insertSql, rows);
    }
  }

  int remove(Connection conn, Collection<EventKey> keys) {
    List<String> names = keys.stream().map(EventKey::name).distinct().sorted().toList();
    return InLists.update(jdbc, conn, deleteSql, List.of(), names);
  }

  public List<KeyBlock> list(Connection conn, Set<Integer> lanes, int limit) {
    if (lanes.isEmpty()) {
      return List.of();
    }
    List<Integer> padded = InLists.padded(lanes.stream().sorted().toList());
    return jdbc.query(
        conn,
        ofLanesSql + InLists.placeholders(padded.size()) + " ORDER BY blocked_at, key_name LIMIT ?",
        this::read,
        InLists.params(List.of(), padded, limit));
  }

  public List<KeyBlock> of(Connection conn, Collection<EventKey> keys) {
    List<String> names = keys.stream().map(EventKey::name).toList();
    return InLists.query(jdbc, conn, ofKeysSql, names, "", this::read);
  }

  private KeyBlock read(ResultSet row) throws SQLException {
    return new KeyBlock(
        new EventKey(row.getInt(1), row.getString(2)),
        row.getString(3),
        context.instant(row, 4),
        row.getString(5));
  }
}
