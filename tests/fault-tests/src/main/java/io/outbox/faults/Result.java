package io.outbox.faults;

import io.outbox.faults.node.Mode;
import io.outbox.faults.proof.Verdict;
import io.outbox.faults.scenario.Fault;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What came of a scenario in a mode.
 *
 * @param proven the mode whose promise was proven
 */
public record Result(
    String scenario, Mode mode, Mode proven, List<Fault> faults, Verdict verdict, Duration took) {

  /** Such as "12 kill, 3 stop". */
  public String faultCounts() {
    Map<String, Integer> counts = new TreeMap<>();
    faults.forEach(fault -> counts.merge(fault.what(), fault.count(), Integer::sum));
    return join(counts);
  }

  /** Such as "7: 4 kill, 3 without a fault". */
  public String duplicates() {
    if (verdict.duplicateCount() == 0) {
      return "0";
    }
    Map<String, Integer> counts = new TreeMap<>(verdict.duplicates);
    if (!verdict.unexplained.isEmpty()) {
      counts.put("without a fault", verdict.unexplained.size());
    }
    return verdict.duplicateCount() + ": " + join(counts);
  }

  /** The median and the longest time until the backlog of a fault was gone. */
  public String recovery() {
    List<Duration> times =
        faults.stream().map(Fault::recovery).filter(Objects::nonNull).sorted().toList();
    return times.isEmpty()
        ? "-"
        : "%.1f / %.1f s"
            .formatted(
                times.get(times.size() / 2).toMillis() / 1e3,
                times.get(times.size() - 1).toMillis() / 1e3);
  }

  private static String join(Map<String, Integer> counts) {
    return counts.isEmpty()
        ? "none"
        : counts.entrySet().stream()
            .map(each -> each.getValue() + " " + each.getKey())
            .collect(Collectors.joining(", "));
  }
}
