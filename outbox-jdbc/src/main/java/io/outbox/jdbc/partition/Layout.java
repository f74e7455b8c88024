package io.outbox.jdbc.partition;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which partitions a table has, and how far its numbers have come. All names are as SQL has them.
 *
 * @param kept the partition of the events that outlived theirs; it begins with the lowest number
 * @param keptTo the first number that it does not take
 * @param others the partition of the numbers that no other takes
 * @param ranges the other partitions, in the order of their numbers
 * @param last the last number that was given to an event; 0 if none was
 */
record Layout(String kept, long keptTo, String others, List<Range> ranges, long last) {

  private static final Pattern BOUNDS =
      Pattern.compile("FOR VALUES FROM \\('?(-?\\w+)'?\\) TO \\('?(-?\\d+)'?\\)");

  /** A partition for the numbers {@code from} to {@code to}, this one excluded. */
  record Range(String name, long from, long to) {}

  /**
   * Reads the bounds of all partitions, which PostgreSQL has as text.
   *
   * @return empty if it is no layout of ours
   */
  static Optional<Layout> of(Map<String, String> bounds, long last) {
    String kept = null;
    long keptTo = 0;
    String others = null;
    List<Range> ranges = new ArrayList<>();
    for (Map.Entry<String, String> partition : bounds.entrySet()) {
      Matcher range = BOUNDS.matcher(partition.getValue());
      if (partition.getValue().equals("DEFAULT")) {
        others = partition.getKey();
      } else if (!range.matches()) {
        return Optional.empty();
      } else if (range.group(1).equals("MINVALUE")) {
        kept = partition.getKey();
        keptTo = Long.parseLong(range.group(2));
      } else {
        ranges.add(
            new Range(
                partition.getKey(),
                Long.parseLong(range.group(1)),
                Long.parseLong(range.group(2))));
      }
    }
    ranges.sort(Comparator.comparingLong(Range::from));
    return kept == null || others == null
        ? Optional.empty()
        : Optional.of(new Layout(kept, keptTo, others, List.copyOf(ranges), last));
  }

  /** The first number behind all partitions. */
  long end() {
    return ranges.isEmpty() ? keptTo : ranges.get(ranges.size() - 1).to();
  }

  /** How many numbers are given out before one that has no partition. */
  long numbersAhead() {
    long next = last + 1;
    for (Range range : ranges) {
      if (range.from() <= next) {
        next = Math.max(next, range.to());
      }
    }
    return next - last - 1;
  }

  /** The oldest partition, if no event will get one of its numbers any more. */
  Optional<Range> passed() {
    return ranges.stream().findFirst().filter(oldest -> oldest.to() <= last);
  }

  /**
   * The next partition to create, if fewer than {@code ahead} are there behind the current one. If
   * events have come to where there is no partition, it leaves a gap: the numbers just ahead are
   * given out at this moment, and their events go to the default partition.
   */
  Optional<Range> missing(long size, int ahead) {
    long end = end();
    if (end <= last) {
      return Optional.of(new Range(null, last + size, last + 2 * size));
    }
    return end > last + ahead * size
        ? Optional.empty()
        : Optional.of(new Range(null, end, end + size));
  }
}
