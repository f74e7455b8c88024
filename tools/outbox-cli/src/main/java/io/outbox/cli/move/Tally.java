package io.outbox.cli.move;

import io.outbox.EventEnvelope;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** What became of rows: how many, and the first of those that need attention. */
final class Tally {

  private static final int SHOWN = 10;

  /** What became of a row. */
  enum Outcome {
    /** Written to the outbox table; in a dry run, it would be. */
    IMPORTED,
    /** The outbox table has its event already. */
    ALREADY_THERE,
    /** It cannot become an event, or another event has its id. */
    REFUSED
  }

  private final Map<Outcome, Long> counts = new EnumMap<>(Outcome.class);
  private final List<SourceRow> refused = new ArrayList<>();
  private final List<EventEnvelope> sample = new ArrayList<>();
  private long taken;

  void add(Outcome outcome, SourceRow row) {
    counts.merge(outcome, 1L, Long::sum);
    if (outcome == Outcome.IMPORTED && sample.size() < SHOWN) {
      sample.add(row.event());
    }
  }

  void refuse(SourceRow row, String why) {
    add(Outcome.REFUSED, row);
    if (refused.size() < SHOWN) {
      refused.add(SourceRow.refused(row.key(), why));
    }
  }

  void addTaken(long rows) {
    taken += rows;
  }

  void addAll(Tally other) {
    other.counts.forEach((outcome, count) -> counts.merge(outcome, count, Long::sum));
    other.refused.stream().limit(SHOWN - refused.size()).forEach(refused::add);
    other.sample.stream().limit(SHOWN - sample.size()).forEach(sample::add);
    taken += other.taken;
  }

  /** Before the same rows are looked at again. */
  void forgetRefused() {
    counts.remove(Outcome.REFUSED);
    refused.clear();
  }

  long of(Outcome outcome) {
    return counts.getOrDefault(outcome, 0L);
  }

  long rows() {
    return counts.values().stream().mapToLong(Long::longValue).sum();
  }

  /** How many rows were deleted or marked in their table. */
  long taken() {
    return taken;
  }

  /** The first refused rows, with the reason. */
  List<SourceRow> refused() {
    return List.copyOf(refused);
  }

  /** The first events. */
  List<EventEnvelope> sample() {
    return List.copyOf(sample);
  }
}
