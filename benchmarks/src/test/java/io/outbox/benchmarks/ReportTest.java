package io.outbox.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.benchmarks.contestant.Entry;
import io.outbox.benchmarks.workload.Measurement;
import io.outbox.benchmarks.workload.Workload;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportTest {

  private final BenchmarkOptions options = BenchmarkOptions.parse("--rounds", "3");

  @Test
  void medians_stand_beside_their_spread_and_their_ratio_to_the_loop() throws Exception {
    String table =
        markdown(
            rate(Entry.PLAIN, 1_000),
            rate(Entry.SINGLE_NODE, 900),
            rate(Entry.PLAIN, 3_000),
            rate(Entry.SINGLE_NODE, 1_500),
            rate(Entry.PLAIN, 2_000),
            rate(Entry.SINGLE_NODE, 1_000));

    assertThat(table)
        .contains("| plain JDBC loop | 2,000 | 1,000 | 3,000 | 1.00 |")
        .contains("| outbox singleNode() | 1,000 | 900 | 1,500 | 0.50 |")
        .contains("others");
  }

  @Test
  void what_failed_is_told_and_does_not_count() throws Exception {
    String table =
        markdown(
            rate(Entry.PLAIN, 1_000),
            Measurement.failed(Entry.PLAIN, Workload.DRAIN, "no luck"),
            Measurement.failed(Entry.GRUELBOX, Workload.DRAIN, "bad | luck"));

    assertThat(table)
        .contains("| plain JDBC loop | 1,000 |")
        .contains("1 of 3 rounds; no luck")
        .contains("0 of 3 rounds; bad   luck");
  }

  @Test
  void latencies_have_a_table_of_their_own() throws Exception {
    assertThat(
            markdown(
                measurement(
                    Entry.PLAIN, Workload.LATENCY, 200, new Measurement.Latency(1, 2, 3, 4))))
        .contains("| plain JDBC loop | 1.000 | 1.000 | 1.000 | 2.000 | 3.000 | 4.000 |");
  }

  @Test
  void the_table_is_printed_and_saved_as_markdown_csv_and_json(@TempDir Path directory)
      throws Exception {
    options.output = directory.resolve("new");
    ByteArrayOutputStream printed = new ByteArrayOutputStream();

    new Report(options, "a database", List.of(rate(Entry.PLAIN, 1_000)), 0)
        .save(new PrintStream(printed));

    assertThat(printed.toString()).contains("## Drain", "a database", "## Settings");
    try (Stream<Path> files = Files.list(options.output)) {
      assertThat(files)
          .extracting(file -> file.toString().replaceAll(".*\\.", ""))
          .containsExactlyInAnyOrder("md", "csv", "json");
    }
  }

  @Test
  void medians_are_saved_as_charts_are_drawn_from_them() throws Exception {
    List<Measurement> measured =
        List.of(
            rate(Entry.ORDERED_BY_KEY, 900),
            rate(Entry.ORDERED_BY_KEY, 1_500),
            rate(Entry.ORDERED_BY_KEY, 1_000),
            Measurement.failed(Entry.GRUELBOX, Workload.DRAIN, "no luck"),
            measurement(Entry.PLAIN, Workload.LATENCY, 200, new Measurement.Latency(1, 2, 3, 4)));

    assertThat(new Report(options, "a database", measured, 0).csv().lines())
        .filteredOn(line -> !line.startsWith("#"))
        .satisfiesExactly(
            header -> assertThat(header).isEqualTo(headerOfPublishedFigures()),
            drain ->
                assertThat(drain)
                    .startsWith("drain,\"outbox orderedByKey(), 100 keys\",")
                    .endsWith(",1000,900,1500,10.0,20.0,,"),
            latency -> assertThat(latency).isEqualTo("latency,plain JDBC loop,,,,,,,1.000,3.000"));
  }

  private static String headerOfPublishedFigures() throws Exception {
    try (Stream<String> lines = Files.lines(Path.of("..", "docs", "data", "drain.csv"))) {
      return lines.filter(line -> !line.startsWith("#")).findFirst().orElseThrow();
    }
  }

  private String markdown(Measurement... measurements) throws Exception {
    return new Report(options, "a database", List.of(measurements), 0).markdown();
  }

  private static Measurement rate(Entry contestant, double rate) {
    return measurement(contestant, Workload.DRAIN, rate, null);
  }

  private static Measurement measurement(
      Entry contestant, Workload workload, double rate, Measurement.Latency latency) {
    return new Measurement(
        contestant, workload, "as it is", 100, 1, rate, 0, 0, 0, latency, 10, 20, 0.01, null, null);
  }
}
