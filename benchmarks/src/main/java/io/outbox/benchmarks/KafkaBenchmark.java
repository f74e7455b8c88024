package io.outbox.benchmarks;

import io.outbox.benchmarks.contestant.ToKafka.Listener;
import io.outbox.benchmarks.kafka.BrokerProcess;
import io.outbox.benchmarks.kafka.DrainProcess;
import io.outbox.testdb.TestDatabase;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * From PostgreSQL to Kafka: the publisher beside one {@code send().get()} per event and beside a
 * listener that does nothing, in rotation and each in a separate JVM. Prints and saves a table.
 */
public final class KafkaBenchmark {

  static final String USAGE =
      """
      Usage: ./outbox bench-kafka [option...]
        --quick          few events, two rounds
        --rounds N       how often each listener is measured (5)
        --events N       how many events wait in the table (50000)
        --limit N        after how many seconds a listener that is not done is stopped (30)
        --output DIR     where the table goes
      """;

  private static final int BYTES = 300;
  private static final double TIMES_SEND_AND_GET = 10;
  private static final double SHARE_OF_NO_OP = 0.6;

  private final Map<Listener, Samples> rates = new EnumMap<>(Listener.class);
  private final PrintStream out;
  private int rounds = 5;
  private int events = 50_000;
  private int limitSeconds = 30;
  private Path output = Path.of("benchmark-results");

  private KafkaBenchmark(PrintStream out) {
    this.out = out;
  }

  /** See {@link #USAGE}. */
  public static void main(String[] args) throws Exception {
    KafkaBenchmark benchmark = new KafkaBenchmark(System.out);
    try {
      benchmark.parse(args);
    } catch (IllegalArgumentException e) {
      System.err.println(e.getMessage());
      System.exit(2);
    }
    benchmark.run();
  }

  private void parse(String... args) {
    if (Arrays.asList(args).contains("--quick")) {
      rounds = 2;
      events = 20_000;
      limitSeconds = 10;
    }
    for (int i = 0; i < args.length; i++) {
      if (!args[i].equals("--quick")) {
        set(args[i], i + 1 < args.length ? args[i + 1] : "");
        i++;
      }
    }
  }

  private void set(String option, String value) {
    switch (option) {
      case "--rounds" -> rounds = number(option, value);
      case "--events" -> events = number(option, value);
      case "--limit" -> limitSeconds = number(option, value);
      case "--output" -> output = Path.of(value);
      case "--help" -> throw new IllegalArgumentException(USAGE);
      default -> throw new IllegalArgumentException("unknown option " + option + "\n\n" + USAGE);
    }
  }

  private static int number(String option, String value) {
    if (!value.matches("[1-9][0-9]{0,8}")) {
      throw new IllegalArgumentException(option + " needs a number greater than zero");
    }
    return Integer.parseInt(value);
  }

  private void run() throws Exception {
    try (MeasuredServer server = MeasuredServer.start(TestDatabase.POSTGRES);
        Broker broker = Broker.start()) {
      out.println(server.description());
      for (int round = 1; round <= rounds; round++) {
        List<Listener> order = new ArrayList<>(List.of(Listener.values()));
        Collections.rotate(order, -(round - 1));
        for (Listener listener : order) {
          double rate = measure(server, broker, listener);
          rates.computeIfAbsent(listener, any -> new Samples()).add(rate);
          out.printf(
              Locale.ROOT,
              "  round %d of %d: %s: %,.0f events/s%n",
              round,
              rounds,
              listener.title(),
              rate);
        }
      }
      save(markdown(server.description()));
    }
  }

  private double measure(MeasuredServer server, Broker broker, Listener listener) throws Exception {
    List<MeasuredServer.Fresh> databases = List.of(server.fresh(), server.fresh(), server.fresh());
    try {
      List<String> arguments =
          new ArrayList<>(
              List.of(
                  listener.name(),
                  broker.servers(),
                  server.user(),
                  Integer.toString(events),
                  Integer.toString(BYTES),
                  Integer.toString(limitSeconds)));
      databases.forEach(database -> arguments.add(database.url()));
      return drain(arguments);
    } finally {
      for (MeasuredServer.Fresh database : databases) {
        server.drop(database);
      }
    }
  }

  private double drain(List<String> arguments) throws IOException, InterruptedException {
    Process process = jvm("-Xmx1g", DrainProcess.class, arguments).start();
    String last = "ended without a result";
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        last = line;
        if (line.startsWith(DrainProcess.RATE)) {
          return Double.parseDouble(line.substring(DrainProcess.RATE.length()));
        }
      }
      throw new IllegalStateException("a measurement failed: " + last);
    } finally {
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    }
  }

  private static ProcessBuilder jvm(String heap, Class<?> main, List<String> arguments) {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                heap,
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
    command.addAll(arguments);
    return new ProcessBuilder(command).redirectErrorStream(true);
  }

  /** Kafka in a separate process, which ends when its input does. */
  private record Broker(Process process, String servers) implements AutoCloseable {

    static Broker start() throws IOException {
      Process process = jvm("-Xmx512m", BrokerProcess.class, List.of()).start();
      BufferedReader lines = process.inputReader(StandardCharsets.UTF_8);
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith(BrokerProcess.READY)) {
          return new Broker(process, line.substring(BrokerProcess.READY.length()));
        }
      }
      throw new IllegalStateException("Kafka did not start");
    }

    @Override
    public void close() throws IOException, InterruptedException {
      process.getOutputStream().close();
      if (!process.waitFor(20, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    }
  }

  // ---- Markdown

  private void save(String markdown) throws IOException {
    String time =
        DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss")
            .withZone(ZoneOffset.UTC)
            .format(Instant.now());
    Files.createDirectories(output);
    Path file = output.resolve("bench-kafka-" + time + ".md");
    Files.writeString(file, markdown);
    out.println();
    out.print(markdown);
    out.println();
    out.println("Saved as " + file);
  }

  private String markdown(String database) {
    StringBuilder text =
        new StringBuilder(
            """
            # Benchmark: PostgreSQL to Kafka

            - Date: %s
            - Database: %s
            - Kafka: one broker in a separate JVM on the same machine, 6 partitions, no replicas; it does not sync at each message
            - Machine: %d cores for all three (outbox, database, Kafka), %s %s, JDK %s
            - Method: medians of %d interleaved rounds, each in its own JVM after two warm-ups, on a fresh database and topic; stopped after %d s

            %,d events of %d bytes wait in the table; from the start of delivery until all are finished in the database.

            | | events/s | lowest | highest | settings |
            |---|---:|---:|---:|---|
            """
                .formatted(
                    Instant.now().truncatedTo(ChronoUnit.SECONDS),
                    database,
                    Runtime.getRuntime().availableProcessors(),
                    System.getProperty("os.name"),
                    System.getProperty("os.arch"),
                    Runtime.version(),
                    rounds,
                    limitSeconds,
                    events,
                    BYTES));
    rates.forEach(
        (listener, samples) ->
            text.append(
                String.format(
                    Locale.ROOT,
                    "| %s | %,.0f | %,.0f | %,.0f | %s |%n",
                    listener.title(),
                    samples.median(),
                    samples.min(),
                    samples.max(),
                    listener.settings())));
    text.append("\n| ratio | | bar |\n|---|---:|---:|\n");
    text.append(ratio(Listener.SEND_AND_GET, TIMES_SEND_AND_GET));
    text.append(ratio(Listener.SEND_AT_ONCE, Double.NaN));
    text.append(ratio(Listener.NO_OP, SHARE_OF_NO_OP));
    return text.toString();
  }

  private String ratio(Listener to, double bar) {
    return String.format(
        Locale.ROOT,
        "| pipelined to %s | %.2f | %s |%n",
        to.title(),
        rates.get(Listener.PIPELINED).median() / rates.get(to).median(),
        Double.isNaN(bar) ? "" : "at least " + bar);
  }
}
