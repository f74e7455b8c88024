package io.outbox.benchmarks;

import io.outbox.testdb.DedicatedServer;
import io.outbox.testdb.TestDatabase;
import java.io.PrintStream;
import java.util.Locale;
import java.util.Map;

/** Runs the benchmarks and prints one table: rates, ratios to the plain loop, latencies. */
public final class BenchmarkRun {

  private static final String BASELINE = "plain JDBC loop";

  private final PrintStream out;

  private BenchmarkRun(PrintStream out) {
    this.out = out;
  }

  /** Options: {@code --events N --rounds N --seconds N --quick}. */
  public static void main(String[] args) throws Exception {
    BenchmarkOptions options = BenchmarkOptions.parse(args);
    new BenchmarkRun(System.out).run(options);
  }

  void run(BenchmarkOptions options) throws Exception {
    out.printf(
        "JDK %s, %d cores, embedded PostgreSQL with fsync and synchronous_commit on%n",
        Runtime.version(), Runtime.getRuntime().availableProcessors());
    try (DedicatedServer server = TestDatabase.POSTGRES.durableServer()) {
      Progress progress = line -> out.println("  " + line);
      Map<String, Samples> rates =
          new DrainBenchmark(server, options.events()).run(options.rounds(), progress);
      Map<String, Samples> latencies =
          new LatencyBenchmark(server, 200, options.seconds()).run(progress);
      printRates(options, rates);
      printLatencies(options, latencies);
    }
  }

  private void printRates(BenchmarkOptions options, Map<String, Samples> rates) {
    out.printf(
        "%n## Drain: %,d waiting events, default settings, median of %d rounds%n%n",
        options.events(), options.rounds());
    out.println("| | events/s | lowest | highest | ratio to the loop |");
    out.println("|---|---:|---:|---:|---:|");
    double baseline = rates.get(BASELINE).median();
    rates.forEach(
        (name, samples) ->
            out.println(
                String.format(
                    Locale.ROOT,
                    "| %s | %,.0f | %,.0f | %,.0f | %.2f |",
                    name,
                    samples.median(),
                    samples.min(),
                    samples.max(),
                    samples.median() / baseline)));
  }

  private void printLatencies(BenchmarkOptions options, Map<String, Samples> latencies) {
    out.printf(
        "%n## Commit to listener: 200 events/s for %d s, milliseconds%n%n", options.seconds());
    out.println("| | p50 | p95 | p99 | max |");
    out.println("|---|---:|---:|---:|---:|");
    latencies.forEach(
        (name, samples) ->
            out.println(
                String.format(
                    Locale.ROOT,
                    "| %s | %.2f | %.2f | %.2f | %.2f |",
                    name,
                    samples.median(),
                    samples.percentile(95),
                    samples.percentile(99),
                    samples.max())));
  }
}
