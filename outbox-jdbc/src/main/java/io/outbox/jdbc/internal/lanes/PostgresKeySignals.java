package io.outbox.jdbc.internal.lanes;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.internal.StoreContext;
import io.outbox.jdbc.internal.TableName;
import io.outbox.model.EventKey;
import io.outbox.spi.lanes.KeySignals;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * NOTIFY and LISTEN. The driver is asked by reflection, so that it need not be there for others. A
 * message is a list of keys, each after its length; {@link #ANY} stands for too many.
 */
final class PostgresKeySignals implements KeySignals {

  private static final String ANY = "*";

  /** PostgreSQL takes messages of less than 8,000 bytes. */
  private static final int MAX_BYTES = 7_900;

  private static final int MAX_CHANNEL = 63;

  private final JdbcTemplate jdbc;
  private final String channel;

  PostgresKeySignals(StoreContext context) {
    this.jdbc = context.template("tell other nodes");
    this.channel = channel(context.table);
  }

  /** Only letters, digits and underscores: it cannot be bound in LISTEN. */
  private static String channel(TableName table) {
    String name =
        "outbox_" + table.toString().replaceAll("[^A-Za-z0-9]", "_").toLowerCase(Locale.ROOT);
    return name.substring(0, Math.min(name.length(), MAX_CHANNEL));
  }

  @Override
  public void send(Connection conn, Collection<EventKey> keys) {
    send(conn, message(keys));
  }

  @Override
  public void sendAny(Connection conn) {
    send(conn, ANY);
  }

  private void send(Connection conn, String message) {
    jdbc.query(conn, "SELECT pg_notify(?, ?)", row -> row.getString(1), channel, message);
  }

  static String message(Collection<EventKey> keys) {
    StringBuilder message = new StringBuilder();
    int bytes = 0;
    for (EventKey key : keys) {
      String entry = key.name().length() + ":" + key.name();
      bytes += entry.getBytes(StandardCharsets.UTF_8).length;
      if (bytes > MAX_BYTES) {
        return ANY;
      }
      message.append(entry);
    }
    return message.toString();
  }

  /** Empty for any key, or if it is no message of ours. */
  static Optional<Set<EventKey>> keys(String message) {
    Set<EventKey> keys = new HashSet<>();
    int next = 0;
    while (next < message.length()) {
      int colon = message.indexOf(':', next);
      if (colon < 0 || !message.substring(next, colon).matches("\\d{1,4}")) {
        return Optional.empty();
      }
      int end = colon + 1 + Integer.parseInt(message.substring(next, colon));
      if (end > message.length()) {
        return Optional.empty();
      }
      keys.add(EventKey.named(message.substring(colon + 1, end)));
      next = end;
    }
    return Optional.of(keys);
  }

  @Override
  public void listen(Connection conn) throws SQLException {
    execute(conn, "LISTEN " + channel);
  }

  @Override
  public void stopListening(Connection conn) throws SQLException {
    execute(conn, "UNLISTEN " + channel);
  }

  private static void execute(Connection conn, String sql) throws SQLException {
    try (Statement statement = conn.createStatement()) {
      statement.execute(sql);
    }
  }

  @Override
  public Optional<Set<EventKey>> receive(Connection conn, Duration wait) throws SQLException {
    Set<EventKey> keys = new HashSet<>();
    for (String message : messages(conn, (int) wait.toMillis())) {
      Optional<Set<EventKey>> told = keys(message);
      if (told.isEmpty()) {
        return Optional.empty();
      }
      keys.addAll(told.get());
    }
    return Optional.of(keys);
  }

  private static List<String> messages(Connection conn, int millis) throws SQLException {
    try {
      Class<?> type = driverType("PGConnection");
      Object notifications =
          type.getMethod("getNotifications", int.class).invoke(conn.unwrap(type), millis);
      if (notifications == null) {
        return List.of();
      }
      Method text = driverType("PGNotification").getMethod("getParameter");
      List<String> messages = new ArrayList<>();
      for (Object notification : (Object[]) notifications) {
        messages.add((String) text.invoke(notification));
      }
      return messages;
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof SQLException failure) {
        throw failure;
      }
      throw new SQLException("the driver did not hear", e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new SQLException("notifications need PostgreSQL's own driver, org.postgresql", e);
    }
  }

  private static Class<?> driverType(String name) throws ClassNotFoundException {
    String full = "org.postgresql." + name;
    try {
      return Class.forName(full);
    } catch (ClassNotFoundException e) {
      return Class.forName(full, true, Thread.currentThread().getContextClassLoader());
    }
  }
}
