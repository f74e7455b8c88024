package io.outbox.benchmarks;

import static java.util.stream.Collectors.joining;

import io.outbox.benchmarks.contestant.Entry;
import io.outbox.benchmarks.workload.Measurement;
import io.outbox.benchmarks.workload.Workload;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Everything that was measured: tables in Markdown, medians in CSV for charts, all in JSON. */
final class Report {

  private final BenchmarkOptions options;
  private final String database;
  private final List<Measurement> measurements;
  private final int disturbed;
  private final Properties versions = new Properties();
  private final Instant now = Instant.now().truncatedTo(ChronoUnit.SECONDS);

  Report(BenchmarkOptions options, String database, List<Measurement> measurements, int disturbed)
      throws IOException {
    this.options = options;
    this.database = database;
    this.measurements = measurements;
    this.disturbed = disturbed;
    try (InputStream in = Report.class.getResourceAsStream("/versions.properties")) {
      versions.load(in);
    }
  }

  /** Of its files, without ending. */
  String name() {
    return "bench-"
        + DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss").withZone(ZoneOffset.UTC).format(now);
  }

  void save(PrintStream out) throws IOException {
    String name = name();
    Files.createDirectories(options.output);
    Path markdown = options.output.resolve(name + ".md");
    Files.writeString(markdown, markdown());
    Files.writeString(options.output.resolve(name + ".csv"), csv());
    Files.writeString(options.output.resolve(name + ".json"), json());
    out.println();
    out.print(markdown());
    out.println();
    out.println("Saved as " + markdown + ", .csv and .json");
  }

  // ---- Markdown

  String markdown() {
    StringBuilder text = new StringBuilder("# Benchmark\n\n");
    environment()
        .forEach(
            (name, value) ->
                text.append("- ").append(name).append(": ").append(value).append('\n'));
    byWorkload()
        .forEach(
            (workload, results) -> {
              text.append("\n## %s\n\n".formatted(workload.title()));
              text.append(description(workload)).append(".\n\n");
              text.append(workload == Workload.LATENCY ? latencies(results) : rates(results));
            });
    text.append(settings());
    return text.toString();
  }

  private Map<String, String> environment() {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("Date", now.toString());
    facts.put("Command", "./outbox bench " + options.command);
    facts.put("Database", database);
    facts.put(
        "Machine",
        "%d cores, %s %s, JDK %s"
            .formatted(
                Runtime.getRuntime().availableProcessors(),
                System.getProperty("os.name"),
                System.getProperty("os.arch"),
                Runtime.version()));
    facts.put("Versions", new TreeMap<>(versions).toString().replaceAll("[{}]", ""));
    Samples others = samples(measurements, Measurement::others);
    facts.put(
        "Other work on the machine",
        others.isEmpty()
            ? "unknown"
            : format(
                "%.0f%% of its CPU time in the median, %.0f%% at most; %d disturbed measurements"
                    + " (more than %d%%) were repeated",
                others.median() * 100, others.max() * 100, disturbed, options.disturbedPercent));
    facts.put(
        "Method",
        "medians of %d interleaved rounds, each in its own JVM after a warm-up, on a fresh database;"
                .formatted(options.rounds)
            + " stopped after %d s".formatted(options.limitSeconds));
    return facts;
  }

  private String description(Workload workload) {
    return switch (workload) {
      case DRAIN, SLOW -> format("%,d events; %s", options.events, workload.description());
      case GROWTH ->
          format(
              "%,d waiting events, %,d finished; %s",
              options.events, options.finished, workload.description());
      case HELD ->
          format(
              "%,d waiting events after %d s; %s",
              options.events, options.heldSeconds, workload.description());
      default -> workload.description();
    };
  }

  private String rates(Map<Entry, List<Measurement>> results) {
    StringBuilder table =
        new StringBuilder(
            """
            | | events/s | lowest | highest | ratio to the loop | JVM CPU µs/event | ratio | database CPU µs/event | others | remarks |
            |---|---:|---:|---:|---:|---:|---:|---:|---:|---|
            """);
    double baseline = median(results.get(Entry.PLAIN), Measurement::rate);
    double cpu = median(results.get(Entry.PLAIN), Measurement::jvmMicros);
    results.forEach(
        (entry, rounds) -> {
          Samples rates = samples(rounds, Measurement::rate);
          table.append(
              rates.isEmpty()
                  ? "| %s | | | | | | | | | %s |%n".formatted(entry.title(), remarks(rounds))
                  : format(
                      "| %s | %,.0f | %,.0f | %,.0f | %s | %.1f | %s | %.1f | %.0f%% | %s |%n",
                      entry.title(),
                      rates.median(),
                      rates.min(),
                      rates.max(),
                      ratio(rates.median(), baseline),
                      median(rounds, Measurement::jvmMicros),
                      ratio(median(rounds, Measurement::jvmMicros), cpu),
                      median(rounds, Measurement::serverMicros),
                      median(rounds, Measurement::others) * 100,
                      remarks(rounds)));
        });
    return table.toString();
  }

  private String latencies(Map<Entry, List<Measurement>> results) {
    StringBuilder table =
        new StringBuilder(
            """
            | | p50 | lowest | highest | p95 | p99 | max | others | remarks |
            |---|---:|---:|---:|---:|---:|---:|---:|---|
            """);
    results.forEach(
        (entry, all) -> {
          List<Measurement> rounds = all.stream().filter(m -> m.latency() != null).toList();
          Samples p50 = samples(rounds, m -> m.latency().p50());
          table.append(
              p50.isEmpty()
                  ? "| %s | | | | | | | | %s |%n".formatted(entry.title(), remarks(all))
                  : format(
                      "| %s | %.3f | %.3f | %.3f | %.3f | %.3f | %.3f | %.0f%% | %s |%n",
                      entry.title(),
                      p50.median(),
                      p50.min(),
                      p50.max(),
                      median(rounds, m -> m.latency().p95()),
                      median(rounds, m -> m.latency().p99()),
                      median(rounds, m -> m.latency().max()),
                      median(rounds, Measurement::others) * 100,
                      remarks(all)));
        });
    return table.toString();
  }

  private String remarks(List<Measurement> rounds) {
    List<String> remarks = new ArrayList<>();
    List<Measurement> good = rounds.stream().filter(m -> m.failure() == null).toList();
    if (good.size() < options.rounds) {
      remarks.add(good.size() + " of " + options.rounds + " rounds");
    }
    rounds.stream()
        .map(Measurement::failure)
        .filter(failure -> failure != null)
        .findFirst()
        .map(failure -> failure.replace('|', ' ').replace('\n', ' '))
        .ifPresent(failure -> remarks.add(failure.substring(0, Math.min(failure.length(), 120))));
    long missing = good.stream().mapToLong(Measurement::missing).max().orElse(0);
    if (missing > 0) {
      remarks.add(format("stopped with up to %,d events not delivered", missing));
    }
    long repeated = good.stream().mapToLong(Measurement::repeated).max().orElse(0);
    if (repeated > 0) {
      remarks.add(format("up to %,d delivered again", repeated));
    }
    long deadlocks = good.stream().mapToLong(Measurement::deadlocks).max().orElse(0);
    if (deadlocks > 0) {
      remarks.add(format("up to %,d transactions tried again after deadlocks", deadlocks));
    }
    good.stream()
        .filter(m -> m.heapMegabytes() != null)
        .map(
            m ->
                m.heapMegabytes().stream().map(heap -> format("%.0f", heap)).collect(joining(", ")))
        .forEach(heap -> remarks.add(heap + " MB of heap after a collection at each quarter"));
    return String.join("; ", remarks);
  }

  private String settings() {
    StringBuilder table =
        new StringBuilder(
            "\n## Settings\n\n| | version | workload | settings |\n|---|---|---|---|\n");
    Map<String, List<String>> workloads = new LinkedHashMap<>();
    for (Measurement m : measurements) {
      if (!m.settings().isEmpty()) {
        String row =
            "| %s | %s | %%s | %s |%n"
                .formatted(
                    m.contestant().title(),
                    versions.getProperty(m.contestant().library(), ""),
                    m.settings());
        List<String> of = workloads.computeIfAbsent(row, r -> new ArrayList<>());
        if (!of.contains(m.workload().key())) {
          of.add(m.workload().key());
        }
      }
    }
    workloads.forEach((row, of) -> table.append(row.formatted(String.join(", ", of))));
    return table.toString();
  }

  // ---- CSV

  /** The medians, as the charts of the documentation are drawn from them. */
  String csv() {
    StringBuilder text = new StringBuilder();
    environment()
        .forEach(
            (name, value) ->
                text.append("# ").append(name).append(": ").append(value).append('\n'));
    text.append(
        "workload,contestant,version,events_per_second,lowest,highest,jvm_cpu_us,database_cpu_us,"
            + "p50_ms,p99_ms\n");
    byWorkload()
        .forEach(
            (workload, results) ->
                results.forEach(
                    (entry, rounds) -> {
                      Samples rates = samples(rounds, Measurement::rate);
                      if (!rates.isEmpty()) {
                        text.append(
                            workload == Workload.LATENCY
                                ? csv(workload, entry, "", "", "", "", "", latencyCells(rounds))
                                : csv(
                                    workload,
                                    entry,
                                    format("%.0f", rates.median()),
                                    format("%.0f", rates.min()),
                                    format("%.0f", rates.max()),
                                    format("%.1f", median(rounds, Measurement::jvmMicros)),
                                    format("%.1f", median(rounds, Measurement::serverMicros)),
                                    ","));
                      }
                    }));
    return text.toString();
  }

  private String csv(Workload workload, Entry entry, String... cells) {
    String title = entry.title();
    return String.join(
            ",",
            workload.key(),
            title.contains(",") ? '"' + title + '"' : title,
            versions.getProperty(entry.library(), ""),
            String.join(",", cells))
        + '\n';
  }

  private static String latencyCells(List<Measurement> rounds) {
    List<Measurement> measured = rounds.stream().filter(m -> m.latency() != null).toList();
    return format(
        "%.3f,%.3f",
        median(measured, m -> m.latency().p50()), median(measured, m -> m.latency().p99()));
  }

  // ---- JSON

  private String json() {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("environment", environment());
    document.put("versions", new TreeMap<>(versions));
    document.put("measurements", measurements);
    return JsonMapper.builder()
        .enable(SerializationFeature.INDENT_OUTPUT)
        .build()
        .writeValueAsString(document);
  }

  // ---- numbers

  private Map<Workload, Map<Entry, List<Measurement>>> byWorkload() {
    Map<Workload, Map<Entry, List<Measurement>>> results = new EnumMap<>(Workload.class);
    for (Measurement m : measurements) {
      results
          .computeIfAbsent(m.workload(), w -> new EnumMap<>(Entry.class))
          .computeIfAbsent(m.contestant(), c -> new ArrayList<>())
          .add(m);
    }
    return results;
  }

  private static double median(List<Measurement> rounds, ToDoubleFunction<Measurement> value) {
    Samples samples = rounds == null ? new Samples() : samples(rounds, value);
    return samples.isEmpty() ? Double.NaN : samples.median();
  }

  private static Samples samples(List<Measurement> rounds, ToDoubleFunction<Measurement> value) {
    Samples samples = new Samples();
    rounds.stream()
        .filter(m -> m.failure() == null)
        .forEach(m -> samples.add(value.applyAsDouble(m)));
    return samples;
  }

  private static String ratio(double value, double baseline) {
    double ratio = value / baseline;
    return Double.isFinite(ratio)
        ? format(ratio >= 100 ? "%.0f" : ratio >= 0.1 ? "%.2f" : "%.4f", ratio)
        : "";
  }

  private static String format(String format, Object... args) {
    return String.format(Locale.ROOT, format, args);
  }
}
