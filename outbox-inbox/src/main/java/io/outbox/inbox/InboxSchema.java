package io.outbox.inbox;

import io.outbox.internal.tx.OwnTransaction;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import javax.sql.DataSource;

/**
 * Creates and checks the inbox table. The DDL is in the files {@code schema/inbox/*.sql} of this
 * jar, for your migrations.
 */
public final class InboxSchema {

  private static final Pattern NAME = Pattern.compile("\\binbox_event(_[a-z]+)?\\b");

  /** Nodes that start together get in each other's way, but each time one of them gets on. */
  private static final int ATTEMPTS = 5;

  private InboxSchema() {}

  /** Creates the table {@code inbox_event}; see {@link #create(DataSource, String)}. */
  public static void create(DataSource dataSource) {
    create(dataSource, InboxTable.DEFAULT);
  }

  /**
   * Creates the table and its index, unless they exist.
   *
   * @throws InboxException if that fails, or a table of that name has other columns
   */
  public static void create(DataSource dataSource, String tableName) {
    InboxTable table = new InboxTable(tableName);
    for (int attempt = 1; ; attempt++) {
      try {
        onConnection(dataSource, table, "create the table", conn -> create(conn, table));
        break;
      } catch (InboxException e) {
        if (attempt == ATTEMPTS) {
          throw e;
        }
      }
    }
    validate(dataSource, tableName);
  }

  private static void create(Connection conn, InboxTable table) throws SQLException {
    for (String sql : statements(ddl(InboxDatabase.of(conn), table))) {
      try (Statement statement = conn.createStatement()) {
        statement.execute(sql);
      }
    }
  }

  /** Checks the table {@code inbox_event}; see {@link #validate(DataSource, String)}. */
  public static void validate(DataSource dataSource) {
    validate(dataSource, InboxTable.DEFAULT);
  }

  /**
   * Checks that the table and its columns exist.
   *
   * @throws InboxException if not
   */
  public static void validate(DataSource dataSource, String tableName) {
    InboxTable table = new InboxTable(tableName);
    String sql = "SELECT consumer, event_id, processed_at FROM " + table + " WHERE 1 = 0";
    onConnection(
        dataSource,
        table,
        "use the table",
        conn -> {
          try (Statement statement = conn.createStatement()) {
            statement.executeQuery(sql).close();
          }
        });
  }

  /**
   * The DDL for {@code h2}, {@code postgresql}, {@code mysql} or {@code mariadb}.
   *
   * @throws IllegalArgumentException if the product is none of these
   */
  public static String ddl(String product, String tableName) {
    Objects.requireNonNull(product, "product");
    return ddl(InboxDatabase.named(product), new InboxTable(tableName));
  }

  private static String ddl(InboxDatabase database, InboxTable table) {
    return NAME.matcher(read(database.ddlResource()))
        .replaceAll(name -> name.group(1) == null ? table.name() : table.simple() + name.group(1));
  }

  private static List<String> statements(String ddl) {
    return Arrays.stream(ddl.replaceAll("(?m)^\\s*--.*\\R", "").split(";\\s*(?:\\R|$)"))
        .map(String::strip)
        .filter(statement -> !statement.isEmpty())
        .toList();
  }

  private static String read(String resource) {
    try (InputStream in = InboxSchema.class.getModule().getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException(resource + " is missing in the outbox-inbox jar");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + resource, e);
    }
  }

  private interface Work {
    void on(Connection conn) throws SQLException;
  }

  private static void onConnection(
      DataSource dataSource, InboxTable table, String action, Work work) {
    Objects.requireNonNull(dataSource, "dataSource");
    try (OwnTransaction tx = OwnTransaction.begin(dataSource::getConnection)) {
      work.on(tx.connection());
      tx.commit();
    } catch (SQLException e) {
      throw SqlFailures.describe(action, table, e);
    }
  }
}
