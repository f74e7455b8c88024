package io.outbox.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.benchmarks.contestant.Entry;
import io.outbox.benchmarks.workload.Measurement;
import io.outbox.benchmarks.workload.Workload;
import java.util.List;
import org.junit.jupiter.api.Test;

class ComparisonTest {

  private final Comparison comparison = new Comparison("--compare abc");

  @Test
  void rounds_that_all_agree_are_a_difference() {
    for (int i = 0; i < 5; i++) {
      comparison.add(rate(1_100 + i), rate(1_000));
    }
    assertThat(comparison.markdown())
        .contains("./outbox bench --compare abc")
        .contains(
            "| Drain | outbox singleNode() | events/s | 1,102 | 1,000 | 1.10 | 1.10 | 1.10 | 5 | better |");
  }

  @Test
  void rounds_that_disagree_are_noise_and_few_rounds_tell_nothing() {
    comparison.add(rate(900), rate(1_000));
    assertThat(comparison.markdown()).contains("too few rounds to tell");

    for (double ours : new double[] {1_100, 900, 950, 970}) {
      comparison.add(rate(ours), rate(1_000));
    }
    assertThat(comparison.markdown())
        .contains("| events/s | 950 | 1,000 | 0.95 | 0.90 | 1.10 | 5 | within noise |");
  }

  @Test
  void only_a_difference_that_is_large_enough_is_a_loss() {
    for (double ours : new double[] {880, 890, 900, 910, 990}) {
      comparison.add(rate(ours), rate(1_000));
    }
    assertThat(comparison.losses(0.95)).singleElement().asString().contains("events/s", "0.90");
    assertThat(comparison.losses(0.89)).isEmpty();

    comparison.add(rate(1_010), rate(1_000));
    assertThat(comparison.losses(0.95)).as("one round disagrees").isEmpty();
  }

  @Test
  void less_latency_is_better() {
    for (int i = 0; i < 5; i++) {
      comparison.add(latency(2, 8), latency(1, 4));
    }
    assertThat(comparison.markdown())
        .contains("| p50, ms | 2.000 | 1.000 | 0.50 | 0.50 | 0.50 | 5 | worse |")
        .contains("| p99, ms | 8.000 | 4.000 | 0.50 |");
  }

  @Test
  void a_round_without_a_result_does_not_count() {
    comparison.add(
        rate(1_000), Measurement.failed(Entry.SINGLE_NODE, Workload.DRAIN, "did not end"));

    assertThat(comparison.markdown()).doesNotContain("singleNode");
  }

  private static Measurement rate(double rate) {
    return measurement(Workload.DRAIN, rate, null);
  }

  private static Measurement latency(double p50, double p99) {
    return measurement(Workload.LATENCY, 200, new Measurement.Latency(p50, p99, p99, p99));
  }

  private static Measurement measurement(
      Workload workload, double rate, Measurement.Latency latency) {
    return new Measurement(
        Entry.SINGLE_NODE, workload, "", 1, 1, rate, 0, 0, 0, latency, 1, 1, 0, List.of(), null);
  }
}
