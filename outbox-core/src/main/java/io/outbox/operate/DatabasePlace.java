package io.outbox.operate;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.regex.Pattern;

/** Where a connection leads, as far as everybody may know. */
final class DatabasePlace {

  /** Options behind the name, which may hold passwords. */
  private static final Pattern OPTIONS = Pattern.compile("[?;].*", Pattern.DOTALL);

  /** A password may have a slash in it. */
  private static final Pattern USER = Pattern.compile("//.*@", Pattern.DOTALL);

  /** MySQL's other way to name hosts, each with its options. */
  private static final Pattern HOST_OPTIONS = Pattern.compile("//[^/(]*\\(.*\\)", Pattern.DOTALL);

  private DatabasePlace() {}

  static String of(Connection conn) {
    try {
      DatabaseMetaData database = conn.getMetaData();
      String url = database == null ? null : database.getURL();
      return url == null ? "unknown" : of(url);
    } catch (SQLException e) {
      return "unknown";
    }
  }

  static String of(String url) {
    String named = HOST_OPTIONS.matcher(url.replaceFirst("^jdbc:", "")).replaceFirst("//");
    String plain = OPTIONS.matcher(named).replaceFirst("");
    return USER.matcher(plain).replaceFirst("//");
  }
}
