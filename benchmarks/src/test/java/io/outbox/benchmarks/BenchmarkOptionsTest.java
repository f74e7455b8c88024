package io.outbox.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.benchmarks.contestant.Entry;
import io.outbox.benchmarks.workload.Workload;
import io.outbox.testdb.TestDatabase;
import org.junit.jupiter.api.Test;

class BenchmarkOptionsTest {

  @Test
  void everything_runs_unless_something_is_chosen_except_the_memory() {
    BenchmarkOptions options = BenchmarkOptions.parse();

    assertThat(options.contestants).containsExactly(Entry.values());
    assertThat(options.workloads)
        .contains(Workload.DRAIN, Workload.HELD)
        .doesNotContain(Workload.MEMORY, Workload.MEMORY_LARGE);
    assertThat(options.rounds).isEqualTo(5);
    assertThat(options.events).isEqualTo(50_000);
  }

  @Test
  void what_is_said_wins_over_quick_wherever_it_stands() {
    BenchmarkOptions options = BenchmarkOptions.parse("--rounds", "7", "--quick");

    assertThat(options.rounds).isEqualTo(7);
    assertThat(options.events).isEqualTo(10_000);
  }

  @Test
  void contestants_workloads_and_the_database_are_chosen_by_name() {
    BenchmarkOptions options =
        BenchmarkOptions.parse(
            "--contestants",
            "plain,db-scheduler-defaults",
            "--workloads",
            "memory-large",
            "--database",
            "mysql");

    assertThat(options.contestants).containsExactly(Entry.PLAIN, Entry.DB_SCHEDULER_DEFAULTS);
    assertThat(options.workloads).containsExactly(Workload.MEMORY_LARGE);
    assertThat(options.database).isEqualTo(TestDatabase.MYSQL);
  }

  @Test
  void the_command_is_told_without_the_directory_of_the_tables() {
    assertThat(BenchmarkOptions.parse("--output", "/somewhere/else", "--quick").command)
        .isEqualTo("--quick");
  }

  @Test
  void what_is_not_understood_is_refused() {
    assertThatThrownBy(() -> BenchmarkOptions.parse("--contestants", "plane"))
        .hasMessageContainingAll("plane", "--contestants", "plain", "single-node");
    assertThatThrownBy(() -> BenchmarkOptions.parse("--rounds", "0"))
        .hasMessageContaining("--rounds");
    assertThatThrownBy(() -> BenchmarkOptions.parse("--rounds")).hasMessageContaining("--rounds");
    assertThatThrownBy(() -> BenchmarkOptions.parse("--fast")).hasMessageContaining("Usage");
  }
}
