package io.outbox.jdbc.internal;

import io.outbox.jdbc.JdbcTemplate;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

/**
 * Lists of parameters in few different lengths, so that few different statements are prepared:
 * padded to powers of two with their last element.
 */
public final class InLists {

  /** The longest list for one statement. */
  public static final int MAX = 1024;

  private InLists() {}

  /** {@code values} in lists of at most {@link #MAX}. */
  public static <T> List<List<T>> chunks(Collection<? extends T> values) {
    List<T> all = List.copyOf(values);
    List<List<T>> chunks = new ArrayList<>();
    for (int from = 0; from < all.size(); from += MAX) {
      chunks.add(all.subList(from, Math.min(all.size(), from + MAX)));
    }
    return chunks;
  }

  /** {@code values} and copies of the last, up to the next power of two. */
  public static <T> List<T> padded(List<T> values) {
    int size = values.size();
    int paddedSize = size <= 1 ? size : Integer.highestOneBit(size - 1) << 1;
    List<T> padded = new ArrayList<>(paddedSize);
    padded.addAll(values);
    while (padded.size() < paddedSize) {
      padded.add(values.get(size - 1));
    }
    return padded;
  }

  /** {@code (?, ?, ?)}. */
  public static String placeholders(int count) {
    return "(" + "?, ".repeat(count - 1) + "?)";
  }

  /** Runs {@code sql (?, ?, …) end} for all values, with few statements. */
  public static <T> List<T> query(
      JdbcTemplate jdbc,
      Connection conn,
      String sql,
      Collection<?> values,
      String end,
      JdbcTemplate.RowMapper<T> mapper,
      Object... before) {
    List<T> found = new ArrayList<>();
    for (List<?> chunk : chunks(values)) {
      List<?> padded = padded(chunk);
      String statement = sql + placeholders(padded.size()) + end;
      found.addAll(jdbc.query(conn, statement, mapper, params(Arrays.asList(before), padded)));
    }
    return found;
  }

  /** Runs {@code sql (?, ?, …)} for all values; returns how many rows were changed. */
  public static int update(
      JdbcTemplate jdbc, Connection conn, String sql, List<Object> before, Collection<?> values) {
    int changed = 0;
    for (List<?> chunk : chunks(values)) {
      List<?> padded = padded(chunk);
      changed += jdbc.update(conn, sql + placeholders(padded.size()), params(before, padded));
    }
    return changed;
  }

  /** Deletes rows that are locked already; returns how many. */
  public static int delete(
      JdbcTemplate jdbc, Connection conn, RowLocks locks, TableName table, Collection<?> ids) {
    int deleted = 0;
    for (List<?> chunk : chunks(ids)) {
      List<?> padded = padded(chunk);
      deleted += jdbc.update(conn, locks.deleteByKey(table, padded.size()), padded.toArray());
    }
    return deleted;
  }

  /** Parameters for {@code before… IN (values…) after…}. */
  public static Object[] params(List<Object> before, List<?> values, Object... after) {
    List<Object> params = new ArrayList<>(before.size() + values.size() + after.length);
    params.addAll(before);
    params.addAll(values);
    params.addAll(Arrays.asList(after));
    return params.toArray();
  }
}
