package io.outbox.testdb;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;
import javax.sql.DataSource;

/** Creates the outbox table from the DDL files of outbox-jdbc. */
public final class OutboxTable {

  private OutboxTable() {}

  public static void create(DataSource dataSource) {
    try (Connection conn = dataSource.getConnection();
        Statement statement = conn.createStatement()) {
      String product = conn.getMetaData().getDatabaseProductName().toLowerCase(Locale.ROOT);
      String file =
          product.contains("postgres") ? "postgresql" : product.contains("h2") ? "h2" : "mysql";
      for (String part : ddl(file).replaceAll("(?m)--.*$", "").split(";")) {
        if (!part.isBlank()) {
          statement.execute(part);
        }
      }
    } catch (SQLException | IOException e) {
      throw new IllegalStateException("the outbox table cannot be created", e);
    }
  }

  private static String ddl(String file) throws IOException {
    try (InputStream in =
        Thread.currentThread()
            .getContextClassLoader()
            .getResourceAsStream("schema/outbox-" + file + ".sql")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
