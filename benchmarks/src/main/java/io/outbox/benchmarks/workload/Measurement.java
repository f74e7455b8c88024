package io.outbox.benchmarks.workload;

import io.outbox.benchmarks.contestant.Entry;
import java.util.List;

/**
 * What one process measured.
 *
 * @param rate events per second, finished in the database; written ones for {@link Workload#BATCH}
 * @param missing events that were not delivered in time
 * @param repeated deliveries beyond the first
 * @param deadlocks transactions of writers that the database refused and that were tried again
 * @param latency milliseconds, or null
 * @param jvmMicros CPU time of the contestant's process per event
 * @param serverMicros CPU time of the database per event
 * @param others the share of the machine that was used by other processes, 0 to 1
 * @param heapMegabytes what garbage collections left after each quarter of the events, or null
 * @param failure why there is no result, or null
 */
public record Measurement(
    Entry contestant,
    Workload workload,
    String settings,
    long events,
    double seconds,
    double rate,
    long missing,
    long repeated,
    long deadlocks,
    Latency latency,
    double jvmMicros,
    double serverMicros,
    double others,
    List<Double> heapMegabytes,
    String failure) {

  /** Milliseconds from commit to listener. */
  public record Latency(double p50, double p95, double p99, double max) {}

  /** Nothing was measured. */
  public static Measurement failed(Entry contestant, Workload workload, String why) {
    return new Measurement(
        contestant,
        workload,
        "",
        0,
        0,
        Double.NaN,
        0,
        0,
        0,
        null,
        Double.NaN,
        Double.NaN,
        0,
        null,
        why);
  }
}
