package io.outbox.jdbc.internal.operate;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.internal.StorableText;
import io.outbox.jdbc.internal.StoreContext;
import io.outbox.jdbc.internal.TableName;
import io.outbox.operate.AuditEntry;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.List;

/** What operators did. */
final class AuditLog {

  static final int NAME_LENGTH = 128;
  static final int DETAIL_LENGTH = 4_000;

  private static final int ACTION_LENGTH = 32;

  /** What MySQL's TEXT can hold, and how many characters are never more than that. */
  private static final int TARGET_BYTES = 65_535;

  private static final int TARGET_LENGTH = TARGET_BYTES / 4;

  private final StoreContext context;
  private final JdbcTemplate jdbc;
  private final String insertSql;
  private final String updateSql;
  private final String listSql;

  AuditLog(StoreContext context) {
    this.context = context;
    this.jdbc = context.template("keep the audit");
    TableName table = context.table.sibling("audit");
    this.insertSql =
        """
        INSERT INTO %s (actor, action, started_at, target, detail, changed, finished_at)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """
            .formatted(table);
    this.updateSql =
        """
        UPDATE %s SET changed = changed + ?, finished_at = COALESCE(?, finished_at)
        WHERE audit_no = ?
        """
            .formatted(table);
    this.listSql =
        """
        SELECT audit_no, actor, action, started_at, target, detail, changed, finished_at FROM %s
        WHERE audit_no < ? ORDER BY audit_no DESC LIMIT ?
        """
            .formatted(table);
  }

  /** The ids of as many events as can be named are kept. */
  private static String target(String text) {
    String whole = StorableText.cut(text, text.length());
    return whole.getBytes(StandardCharsets.UTF_8).length <= TARGET_BYTES
        ? whole
        : StorableText.cut(whole, TARGET_LENGTH);
  }

  long open(Connection conn, AuditEntry entry) {
    Object[] params = {
      StorableText.cut(entry.who(), NAME_LENGTH),
      StorableText.cut(entry.what(), ACTION_LENGTH),
      context.time(entry.at()),
      target(entry.filter()),
      StorableText.cut(entry.detail(), DETAIL_LENGTH),
      entry.count(),
      context.time(entry.finishedAt())
    };
    try (PreparedStatement insert =
        conn.prepareStatement(insertSql, Statement.RETURN_GENERATED_KEYS)) {
      for (int i = 0; i < params.length; i++) {
        insert.setObject(i + 1, params[i]);
      }
      insert.executeUpdate();
      try (ResultSet keys = insert.getGeneratedKeys()) {
        keys.next();
        return keys.getLong(1);
      }
    } catch (SQLException e) {
      throw context.errors.describe("keep the audit", e);
    }
  }

  void update(Connection conn, long id, long changed, Instant finishedAt) {
    jdbc.update(conn, updateSql, changed, context.time(finishedAt), id);
  }

  List<AuditEntry> list(Connection conn, Long before, int limit) {
    return jdbc.query(conn, listSql, this::read, before == null ? Long.MAX_VALUE : before, limit);
  }

  private AuditEntry read(ResultSet row) throws SQLException {
    return new AuditEntry(
        row.getLong(1),
        row.getString(2),
        row.getString(3),
        context.instant(row, 4),
        row.getString(5),
        row.getString(6),
        row.getLong(7),
        context.instant(row, 8));
  }
}
