package io.outbox.jdbc.internal;

import io.outbox.jdbc.OutboxStoreException;
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

  public static <T> Array texts(Connection conn, Collection<T> values, Function<T, String> text) {
    return of(conn, "text", values.stream().map(text).toArray(String[]::new));
  }

  public static <T> Array bigints(Connection conn, Collection<T> values, Function<T, Long> number) {
    return of(conn, "bigint", values.stream().map(number).toArray(Long[]::new));
  }

  public static <T> Array ints(Connection conn, Collection<T> values, Function<T, Integer> number) {
    return of(conn, "int", values.stream().map(number).toArray(Integer[]::new));
  }

  public static <T> Array timestamps(
      Connection conn, Collection<T> values, Function<T, Instant> time) {
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
    return of(conn, "timestamptz", texts);
  }

  public static Array of(Connection conn, String type, Object[] values) {
    try {
      return conn.createArrayOf(type, values);
    } catch (SQLException e) {
      throw new OutboxStoreException("could not make array parameters: " + e.getMessage(), e);
    }
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
