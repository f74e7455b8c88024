package io.outbox.cli.doctor;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;

/**
 * A connection that has statements on one table explained instead of run, and answers them with no
 * rows: what is looked at are the very statements of the store, with their parameters.
 */
final class RecordedPlans {

  private final Connection conn;
  private final String table;
  private final List<String> lines = new ArrayList<>();

  RecordedPlans(Connection conn, String table) {
    this.conn = conn;
    this.table = table.toLowerCase(Locale.ROOT);
  }

  /** The lines of all plans; on MySQL and MariaDB {@code column=value} of each step. */
  List<String> lines() {
    return List.copyOf(lines);
  }

  Connection connection() {
    return proxy(
        Connection.class,
        (self, method, arguments) -> {
          if (method.getName().equals("prepareStatement")
              && ((String) arguments[0]).toLowerCase(Locale.ROOT).contains(table)) {
            arguments[0] = "EXPLAIN " + arguments[0];
            return explained((PreparedStatement) pass(conn, method, arguments));
          }
          return pass(conn, method, arguments);
        });
  }

  private PreparedStatement explained(PreparedStatement explain) {
    return proxy(
        PreparedStatement.class,
        (self, method, arguments) -> {
          if (method.getName().equals("executeQuery")) {
            record(explain);
            return nothing();
          }
          return pass(explain, method, arguments);
        });
  }

  private void record(PreparedStatement explain) throws SQLException {
    try (ResultSet rows = explain.executeQuery()) {
      ResultSetMetaData columns = rows.getMetaData();
      while (rows.next()) {
        if (columns.getColumnCount() == 1) {
          rows.getString(1).lines().forEach(lines::add);
        } else {
          StringJoiner step = new StringJoiner(" ");
          for (int i = 1; i <= columns.getColumnCount(); i++) {
            step.add(columns.getColumnLabel(i).toLowerCase(Locale.ROOT) + "=" + rows.getString(i));
          }
          lines.add(step.toString());
        }
      }
    }
  }

  private static ResultSet nothing() {
    return proxy(
        ResultSet.class,
        (self, method, arguments) -> method.getName().equals("next") ? Boolean.FALSE : null);
  }

  private static Object pass(Object to, java.lang.reflect.Method method, Object[] arguments)
      throws Throwable {
    try {
      return method.invoke(to, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(
        Proxy.newProxyInstance(
            RecordedPlans.class.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
