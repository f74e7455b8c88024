package io.outbox.benchmarks;

import io.outbox.benchmarks.contestant.Entry;
import io.outbox.benchmarks.workload.Workload;
import io.outbox.testdb.TestDatabase;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.Predicate;

/** What to run. Not thread-safe. */
final class BenchmarkOptions {

  static final String USAGE =
      """
      Usage: ./outbox bench [option...]
        --quick              few events, the main workloads, no defaults of others: under 10 minutes
        --database NAME      postgres (the default), mariadb, mysql (fetched by the Maven profile mysql) or h2
        --contestants A,B    which: %s
        --workloads A,B      which: %s (memory and memory-large only if named)
        --rounds N           how often each is measured (5)
        --events N           how many events wait in a drain (50000)
        --seconds N          how long writers write (10), and latencies are measured
        --limit N            after how many seconds a contestant that is not done is stopped (30)
        --finished N         how many finished events are in the table for growth (1000000)
        --held-seconds N     how long 500 events/s are written for held (60)
        --disturbed N        repeat when others used more than N percent of the machine (10)
        --repeats N          how often at most (2)
        --minutes N          start nothing more after this time (no limit)
        --compare COMMIT     measure our contestants of that commit too, by turns, and say what differs
        --at-least PERCENT   with --compare: fail if a difference leaves less than this of that commit
        --output DIR         where the tables go
      """
          .formatted(
              names(Arrays.asList(Entry.values()), Entry::key),
              names(Arrays.asList(Workload.values()), Workload::key));

  TestDatabase database = TestDatabase.POSTGRES;
  List<Entry> contestants = List.of(Entry.values());
  List<Workload> workloads = where(Workload.values(), workload -> !workload.isMemory());
  int rounds = 5;
  int events = 50_000;
  int seconds = 10;
  int limitSeconds = 30;
  int finished = 1_000_000;
  int heldSeconds = 60;
  int disturbedPercent = 10;
  int repeats = 2;
  int minutes = Integer.MAX_VALUE;
  int atLeastPercent; // 0: whatever differs, the run does not fail
  Path output = Path.of("benchmark-results");
  Path compareWith; // a compiled checkout of another version, or null
  final String command;

  private BenchmarkOptions(String command) {
    this.command = command;
  }

  static BenchmarkOptions parse(String... args) {
    // Where the tables go says nothing about what is in them.
    BenchmarkOptions options =
        new BenchmarkOptions(
            String.join(" ", args).replaceAll("--(output|compare-with) \\S+ ?", "").trim());
    if (Arrays.asList(args).contains("--quick")) {
      // First, so that what else is said wins.
      options.quick();
    }
    for (int i = 0; i < args.length; i++) {
      if (!args[i].equals("--quick")) {
        options.set(args[i], i + 1 < args.length ? args[i + 1] : null);
        i++;
      }
    }
    return options;
  }

  private void quick() {
    contestants = where(Entry.values(), entry -> !entry.isDefaults() && !entry.isOrdered());
    workloads = List.of(Workload.DRAIN, Workload.STEADY, Workload.LATENCY);
    rounds = 2;
    events = 10_000;
    seconds = 3;
    limitSeconds = 5;
    repeats = 1;
    minutes = 8;
  }

  private void set(String option, String value) {
    switch (option) {
      case "--database" -> database = database(value);
      case "--contestants" -> contestants = chosen(option, value, Entry.values(), Entry::key);
      case "--workloads" -> workloads = chosen(option, value, Workload.values(), Workload::key);
      case "--rounds" -> rounds = number(option, value);
      case "--events" -> events = number(option, value);
      case "--seconds" -> seconds = number(option, value);
      case "--limit" -> limitSeconds = number(option, value);
      case "--finished" -> finished = number(option, value);
      case "--held-seconds" -> heldSeconds = number(option, value);
      case "--disturbed" -> disturbedPercent = number(option, value);
      case "--repeats" -> repeats = "0".equals(value) ? 0 : number(option, value);
      case "--minutes" -> minutes = number(option, value);
      case "--at-least" -> atLeastPercent = number(option, value);
      case "--output" -> output = Path.of(required(option, value));
      case "--compare" -> required(option, value); // the script has compiled it: --compare-with
      case "--compare-with" -> compareWith = Path.of(required(option, value));
      case "--help" -> throw new IllegalArgumentException(USAGE);
      default -> throw new IllegalArgumentException("unknown option " + option + "\n\n" + USAGE);
    }
  }

  static TestDatabase database(String value) {
    return switch (required("--database", value).toLowerCase(Locale.ROOT)) {
      case "postgres" -> TestDatabase.POSTGRES;
      case "mariadb" -> TestDatabase.MARIADB;
      case "mysql" -> TestDatabase.MYSQL;
      case "h2" -> TestDatabase.H2;
      default ->
          throw new IllegalArgumentException(
              "--database is one of postgres, mariadb, mysql, h2, not " + value);
    };
  }

  private static <T> List<T> chosen(String option, String value, T[] all, Function<T, String> key) {
    List<T> chosen = new ArrayList<>();
    for (String name : required(option, value).split(",")) {
      chosen.add(
          Arrays.stream(all)
              .filter(one -> key.apply(one).equals(name))
              .findFirst()
              .orElseThrow(
                  () ->
                      new IllegalArgumentException(
                          "there is no \"%s\" for %s; there are: %s"
                              .formatted(name, option, names(Arrays.asList(all), key)))));
    }
    return chosen;
  }

  private static <T> List<T> where(T[] all, Predicate<T> condition) {
    return Arrays.stream(all).filter(condition).toList();
  }

  private static <T> String names(List<T> all, Function<T, String> key) {
    return String.join(", ", all.stream().map(key).toList());
  }

  private static String required(String option, String value) {
    if (value == null) {
      throw new IllegalArgumentException(option + " needs a value");
    }
    return value;
  }

  static int number(String option, String value) {
    if (value == null || !value.matches("[1-9][0-9]{0,8}")) {
      throw new IllegalArgumentException(option + " needs a number greater than zero");
    }
    return Integer.parseInt(value);
  }
}
