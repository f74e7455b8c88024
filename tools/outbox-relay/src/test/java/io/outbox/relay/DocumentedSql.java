package io.outbox.relay;

import io.outbox.testdb.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;

/** The SQL of the page about the relay, as it is there. */
final class DocumentedSql {

  private static final Path PAGE = Path.of("..", "..", "docs", "relay.md");

  private DocumentedSql() {}

  /** The statements for a database. */
  static List<String> of(TestDatabase database) throws IOException {
    String name =
        switch (database) {
          case POSTGRES -> "postgresql";
          case MARIADB, MYSQL -> "mysql";
          case H2 -> "h2";
        };
    Matcher block =
        Pattern.compile("<!-- sql: " + name + " -->\n```sql\n(.*?)```", Pattern.DOTALL)
            .matcher(Files.readString(PAGE));
    if (!block.find()) {
      throw new AssertionError("there is no SQL for " + name + " in " + PAGE);
    }
    return Arrays.stream(block.group(1).split(";\n")).map(String::strip).toList();
  }

  static void run(DataSource dataSource, List<String> statements) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.executeUpdate(sql);
      }
    }
  }
}
