package io.outbox.jdbc.internal;

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
  public static <T> List<List<T>> chunks(Collection<T> values) {
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

  /** Parameters for {@code before… IN (values…) after…}. */
  public static Object[] params(List<Object> before, List<?> values, Object... after) {
    List<Object> params = new ArrayList<>(before.size() + values.size() + after.length);
    params.addAll(before);
    params.addAll(values);
    params.addAll(Arrays.asList(after));
    return params.toArray();
  }
}
