package io.outbox.benchmarks;

import io.outbox.benchmarks.contestant.Entry;
import io.outbox.benchmarks.workload.Measurement;
import io.outbox.benchmarks.workload.Workload;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * This version of our library beside another one, measured by turns. A ratio above 1 means that
 * this version is better. Not thread-safe.
 */
final class Comparison {

  /** If there is no difference, five rounds agree in one of 16 comparisons. */
  static final int FEWEST_ROUNDS = 5;

  private final String command;
  private final Map<String, Rounds> rows = new LinkedHashMap<>();

  Comparison(String command) {
    this.command = command;
  }

  /** A pair that has no result on one side is left out. */
  void add(Measurement ours, Measurement other) {
    if (ours.failure() != null || other.failure() != null) {
      return;
    }
    if (ours.workload() == Workload.LATENCY) {
      add("p50, ms", ours, other, m -> m.latency().p50(), true);
      add("p99, ms", ours, other, m -> m.latency().p99(), true);
    } else {
      add("events/s", ours, other, Measurement::rate, false);
      add("CPU, µs/event", ours, other, m -> m.jvmMicros() + m.serverMicros(), true);
    }
  }

  private void add(
      String unit,
      Measurement ours,
      Measurement other,
      ToDoubleFunction<Measurement> value,
      boolean lessIsBetter) {
    Entry entry = ours.contestant();
    rows.computeIfAbsent(
            "%s | %s | %s".formatted(ours.workload().title(), entry.title(), unit),
            row -> new Rounds(lessIsBetter))
        .add(value.applyAsDouble(ours), value.applyAsDouble(other));
  }

  /** What is worse in all of enough rounds, with a ratio below {@code least}. */
  List<String> losses(double least) {
    return rows.entrySet().stream()
        .filter(row -> row.getValue().isWorse() && row.getValue().ratios.median() < least)
        .map(row -> row.getKey() + row.getValue().cells().stripTrailing())
        .toList();
  }

  void save(PrintStream out, Path directory, String name) throws IOException {
    Path file = directory.resolve(name + ".md");
    Files.writeString(file, markdown());
    out.println();
    out.print(markdown());
    out.println();
    out.println("Saved as " + file);
  }

  String markdown() {
    StringBuilder text =
        new StringBuilder(
            """
            # This version beside another one

            Command: ./outbox bench %s

            | | | | this version | the other | ratio | lowest | highest | rounds | difference |
            |---|---|---|---:|---:|---:|---:|---:|---:|---|
            """
                .formatted(command));
    rows.forEach((name, rounds) -> text.append("| ").append(name).append(rounds.cells()));
    text.append(
        "\nRatios are medians of the ratios of each round; above 1 this version is better.\n"
            + "A difference counts as one if all of at least %d rounds agree.\n"
                .formatted(FEWEST_ROUNDS));
    return text.toString();
  }

  private static final class Rounds {
    private final boolean lessIsBetter;
    private final Samples ours = new Samples();
    private final Samples others = new Samples();
    private final Samples ratios = new Samples();
    private final List<Double> all = new ArrayList<>();

    Rounds(boolean lessIsBetter) {
      this.lessIsBetter = lessIsBetter;
    }

    void add(double mine, double other) {
      double ratio = lessIsBetter ? other / mine : mine / other;
      ours.add(mine);
      others.add(other);
      ratios.add(ratio);
      all.add(ratio);
    }

    String cells() {
      String number = ours.median() < 100 ? "%.3f" : "%,.0f";
      return String.format(
          Locale.ROOT,
          " | " + number + " | " + number + " | %.2f | %.2f | %.2f | %d | %s |%n",
          ours.median(),
          others.median(),
          ratios.median(),
          ratios.min(),
          ratios.max(),
          all.size(),
          difference());
    }

    private String difference() {
      if (all.size() < FEWEST_ROUNDS) {
        return "too few rounds to tell";
      }
      if (ratios.min() > 1) {
        return "better";
      }
      return isWorse() ? "worse" : "within noise";
    }

    boolean isWorse() {
      return all.size() >= FEWEST_ROUNDS && ratios.max() < 1;
    }
  }
}
