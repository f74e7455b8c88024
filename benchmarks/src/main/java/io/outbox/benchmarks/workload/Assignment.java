package io.outbox.benchmarks.workload;

import io.outbox.benchmarks.contestant.Entry;
import io.outbox.testdb.TestDatabase;
import java.util.List;

/**
 * What one process measures.
 *
 * @param urls empty databases, one for the warm-up and one to be measured on
 * @param serverPid the database's process, 0 if there is none of its own
 * @param parentPid the process that waits for this one
 * @param events how many wait in a drain
 * @param seconds how long writers write
 * @param limitSeconds when a contestant that is not done is stopped
 * @param finished how many finished rows are in the table for {@link Workload#GROWTH}
 * @param heldSeconds how long events are written for {@link Workload#HELD}
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
    int heldSeconds) {

  Assignment warmUp() {
    return new Assignment(
        contestant,
        workload.isMemory() || workload == Workload.GROWTH || workload == Workload.HELD
            ? Workload.DRAIN
            : workload,
        database,
        urls.subList(0, 1),
        user,
        password,
        serverPid,
        parentPid,
        Math.min(events, 20_000),
        Math.min(seconds, 3),
        Math.min(limitSeconds, 5),
        0,
        0);
  }
}
