package io.outbox.jdbc.internal;

import java.sql.Array;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.function.Function;

/** Lists as array parameters. */
public final class PostgresArrays {

  private PostgresArrays() {}

  public static <T> Array texts(Connection conn, Collection<T> values, Function<T, String> text)
      throws SQLException {
    return conn.createArrayOf("text", values.stream().map(text).toArray(String[]::new));
  }

  public static <T> Array bigints(Connection conn, Collection<T> values, Function<T, Long> number)
      throws SQLException {
    return conn.createArrayOf("bigint", values.stream().map(number).toArray(Long[]::new));
  }

  public static <T> Array ints(Connection conn, Collection<T> values, Function<T, Integer> number)
      throws SQLException {
    return conn.createArrayOf("int", values.stream().map(number).toArray(Integer[]::new));
  }

  public static <T> Array timestamps(
      Connection conn, Collection<T> values, Function<T, Instant> time) throws SQLException {
    String[] texts = new String[values.size()];
    Instant last = null;
    int i = 0;
    for (T value : values) {
      Instant instant = time.apply(value);
      boolean same = instant != null && instant.equals(last); // often, and texts are dear
      texts[i] = same ? texts[i - 1] : timestamp(instant);
      last = instant;
      i++;
    }
    return conn.createArrayOf("timestamptz", texts);
  }

  /** With its zone, and without the sign that ISO puts before years of five digits. */
  private static String timestamp(Instant instant) {
    if (instant == null) {
      return null;
    }
    String iso = instant.truncatedTo(ChronoUnit.MICROS).toString();
    return iso.startsWith("+") ? iso.substring(1) : iso;
  }
}
