package io.outbox.benchmarks;

import io.outbox.benchmarks.contestant.Entry;
import io.outbox.benchmarks.workload.Measurement;
import io.outbox.benchmarks.workload.Workload;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** Measures contestants in rotation and prints and saves one table. */
public final class BenchmarkRun {

  private final BenchmarkOptions options;
  private final PrintStream out;
  private final List<Measurement> measurements = new ArrayList<>();
  private final Comparison comparison;
  private int disturbed;

  private BenchmarkRun(BenchmarkOptions options, PrintStream out) {
    this.options = options;
    this.out = out;
    this.comparison = new Comparison(options.command);
  }

  /** See {@link BenchmarkOptions#USAGE}. */
  public static void main(String[] args) throws Exception {
    BenchmarkOptions options;
    try {
      options = BenchmarkOptions.parse(args);
    } catch (IllegalArgumentException e) {
      System.err.println(e.getMessage());
      System.exit(2);
      return;
    }
    BenchmarkRun run = new BenchmarkRun(options, System.out);
    run.run();
    List<String> losses = run.comparison.losses(options.atLeastPercent / 100.0);
    losses.forEach(loss -> System.err.println("slower than it may be: " + loss));
    if (!losses.isEmpty()) {
      System.exit(1);
    }
  }

  private void run() throws Exception {
    try (MeasuredServer server = MeasuredServer.start(options.database)) {
      String database = server.description();
      out.println(database);
      Round round = new Round(options, server, LibraryClasses.ofThisVersion());
      Round other =
          options.compareWith == null
              ? null
              : new Round(options, server, LibraryClasses.ofCheckout(options.compareWith));
      rounds(round, other);
      Report report = new Report(options, database, measurements, disturbed);
      report.save(out);
      if (other != null) {
        comparison.save(out, options.output, report.name() + "-compared");
      }
    }
  }

  /** Interleaved: what changes on the machine meets all contestants alike. */
  private void rounds(Round round, Round other) throws Exception {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(options.minutes);
    for (int number = 1; number <= options.rounds; number++) {
      for (Workload workload : options.workloads) {
        List<Entry> order = new ArrayList<>(options.contestants);
        order.removeIf(entry -> !workload.isFor(entry) || !entry.supports(options.database));
        Collections.rotate(order, -(number - 1));
        for (Entry contestant : order) {
          if (System.nanoTime() - end > 0) {
            out.println("The time is up: the rest is left out.");
            return;
          }
          boolean isCompared = other != null && contestant.library().equals("outbox");
          Measurement before =
              isCompared && number % 2 == 0 ? measureOther(other, contestant, workload) : null;
          Measurement measurement = undisturbed(round, contestant, workload);
          measurements.add(measurement);
          out.println("  round " + number + " of " + options.rounds + ": " + line(measurement));
          if (isCompared) {
            comparison.add(
                measurement, before == null ? measureOther(other, contestant, workload) : before);
          }
        }
      }
    }
  }

  private Measurement measureOther(Round other, Entry contestant, Workload workload)
      throws Exception {
    Measurement measurement = undisturbed(other, contestant, workload);
    out.println("    the other version: " + line(measurement));
    return measurement;
  }

  /** Repeats what was disturbed, and in the end takes what was disturbed least. */
  private Measurement undisturbed(Round round, Entry contestant, Workload workload)
      throws Exception {
    Measurement best = round.measure(contestant, workload);
    for (int i = 0; i < options.repeats && isDisturbed(best); i++) {
      out.println("  disturbed, once more: " + line(best));
      disturbed++;
      Measurement next = round.measure(contestant, workload);
      best = next.others() < best.others() ? next : best;
    }
    return best;
  }

  private boolean isDisturbed(Measurement measurement) {
    return measurement.failure() == null && measurement.others() * 100 > options.disturbedPercent;
  }

  private static String line(Measurement m) {
    String what = m.workload().key() + ", " + m.contestant().title() + ": ";
    if (m.failure() != null) {
      return what + "FAILED, " + m.failure();
    }
    String latency =
        m.latency() == null
            ? ""
            : String.format(
                Locale.ROOT, ", p50 %.3f ms, p99 %.3f ms", m.latency().p50(), m.latency().p99());
    return String.format(
        Locale.ROOT,
        "%s%,.0f events/s in %.1f s, %.1f + %.1f µs%s%s%s, others used %.0f%% of the machine",
        what,
        m.rate(),
        m.seconds(),
        m.jvmMicros(),
        m.serverMicros(),
        latency,
        m.missing() > 0 ? ", " + m.missing() + " of " + m.events() + " missing" : "",
        m.repeated() > 0 ? ", " + m.repeated() + " delivered again" : "",
        m.others() * 100);
  }
}
