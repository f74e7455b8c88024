package io.outbox.benchmarks.workload;

import io.outbox.benchmarks.contestant.Entry;
import io.outbox.testdb.TestDatabase;
import java.util.List;

/**
 * What one process measures.
 *
 * @param urls empty databases, the last to be measured on, the others for warm-ups
 * @param serverPid the database's process, 0 if there is no separate one
 * @param parentPid the process that waits for this one
 * @param events how many wait in a drain
 * @param seconds how long writers write
 * @param limitSeconds when a contestant that is not done is stopped
 * @param finished how many finished rows are in the table for {@link Workload#GROWTH}
 * @param heldSeconds how long events are written for {@link Workload#HELD}
 * @param perSecond how many events are written for {@link Workload#LATENCY}
 */
public record Assignment(
    Entry contestant,
    Workload workload,
    TestDatabase database,
    List<String> urls,
    String user,
    String password,
    long serverPid,
    long parentPid,
    int events,
    int seconds,
    int limitSeconds,
    int finished,
    int heldSeconds,
    int perSecond) {

  /** The rate of {@link Workload#LATENCY}. */
  public static final int CALM_PER_SECOND = 200;

  /** As long as it takes until compilers have little left to do. */
  private static final int WARM_UP_EVENTS = 100_000;

  /**
   * Compilers wait for thousands of calls, and then take a core for seconds. In an application that
   * has been running for an hour they have done that.
   */
  private static final int FAST_WARM_UP = 1;

  private static final int FAST_PER_SECOND = 10 * CALM_PER_SECOND;

  Assignment warmUp(int number) {
    return new Assignment(
        contestant,
        warmUpWorkload(number),
        database,
        urls.subList(number, number + 1),
        user,
        password,
        serverPid,
        parentPid,
        Math.min(4 * events, WARM_UP_EVENTS),
        Math.min(seconds, 5),
        Math.min(limitSeconds, 5),
        // What fills the table is to be known to the compilers as well, or it undoes their work.
        Math.min(finished, WARM_UP_EVENTS),
        0,
        number == FAST_WARM_UP ? FAST_PER_SECOND : perSecond);
  }

  /** How often it warms up, at least. */
  int leastWarmUps() {
    return workload == Workload.LATENCY ? FAST_WARM_UP + 2 : 2;
  }

  /** 200 events a second would warm up nothing, at first. */
  private Workload warmUpWorkload(int number) {
    return switch (workload) {
      case MEMORY, MEMORY_LARGE, HELD -> Workload.DRAIN;
      case LATENCY -> number == 0 ? Workload.STEADY : Workload.LATENCY;
      default -> workload;
    };
  }
}
