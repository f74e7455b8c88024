package io.outbox.jdbc.internal.count;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.internal.InLists;
import io.outbox.jdbc.internal.StoreContext;
import io.outbox.model.EventStatus;
import io.outbox.spi.Backlog;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/** Where an index begins with the status. */
public final class IndexedBacklogs implements Backlogs {

  private final StoreContext context;
  private final JdbcTemplate jdbc;
  private final String sql;
  private final OldestSql oldest;

  public IndexedBacklogs(StoreContext context) {
    this.context = context;
    this.jdbc = context.template("count the backlog");
    StringBuilder counts = new StringBuilder("SELECT ");
    for (EventStatus status : EventStatus.values()) {
      counts.append(
          "(SELECT count(*) FROM (SELECT 1 AS one FROM %s%s WHERE status = %d LIMIT ?) counted), "
              .formatted(context.table, forceIndex("finished"), status.code()));
    }
    this.sql = counts.toString();
    this.oldest = new OldestSql(context);
  }

  private String forceIndex(String suffix) {
    return context.locks.forceIndex(context.table.derived(suffix));
  }

  @Override
  public Backlog count(Connection conn, int cap) {
    boolean waiting = context.waiting.isKept(conn);
    return jdbc.query(
            conn,
            sql + oldest.text(waiting),
            row -> read(row, cap),
            InLists.params(
                Collections.nCopies(EventStatus.values().length, cap), oldest.params(waiting)))
        .get(0);
  }

  private Backlog read(ResultSet row, int cap) throws SQLException {
    Map<EventStatus, Long> counts = new EnumMap<>(EventStatus.class);
    int column = 1;
    for (EventStatus status : EventStatus.values()) {
      counts.put(status, row.getLong(column++));
    }
    return new Backlog(counts, cap, context.instant(row, column));
  }
}
