package io.outbox.jdbc.internal.operate;

import io.outbox.jdbc.internal.search.ErrorPattern;
import io.outbox.operate.ErrorGroup;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Puts errors together that differ in numbers and ids only. Not thread-safe. */
final class ErrorGroups {

  private static final int MOST = 20;

  private final Map<String, ErrorGroup> groups = new LinkedHashMap<>();
  private int rows;

  /** Adds an error; the newest first. */
  void add(String eventId, String error) {
    rows++;
    String line = ErrorPattern.firstLine(error);
    String pattern = ErrorPattern.of(line);
    groups.merge(
        pattern,
        new ErrorGroup(line, 1, eventId, pattern),
        (known, other) ->
            new ErrorGroup(known.error(), known.count() + 1, known.example(), pattern));
  }

  /** How many errors were added. */
  int rows() {
    return rows;
  }

  /** The most frequent first. */
  List<ErrorGroup> list() {
    List<ErrorGroup> list = new ArrayList<>(groups.values());
    list.sort(Comparator.comparingInt(ErrorGroup::count).reversed());
    return list.subList(0, Math.min(MOST, list.size()));
  }
}
