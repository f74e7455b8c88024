package io.outbox.benchmarks.workload;

import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import tools.jackson.databind.json.JsonMapper;

/** The main class of a process that measures once: it reads an assignment, writes a measurement. */
public final class MeasuringProcess {
  private static final CompilationMXBean COMPILERS = ManagementFactory.getCompilationMXBean();

  /** One large method of a driver, compiled anew while the clock runs, takes half a second. */
  private static final long COMPILED_MILLIS = 250;

  private MeasuringProcess() {}

  /** The files of the assignment and of the measurement. */
  public static void main(String[] args) throws Exception {
    JsonMapper json = JsonMapper.shared();
    Assignment assignment = json.readValue(Files.readString(Path.of(args[0])), Assignment.class);
    Files.writeString(Path.of(args[1]), json.writeValueAsString(measure(assignment)));
    // Some libraries leave threads behind.
    Runtime.getRuntime().halt(0);
  }

  static Measurement measure(Assignment assignment) {
    try {
      int last = assignment.urls().size() - 1;
      warmUp(assignment, last);
      return new Measuring(assignment, assignment.urls().get(last)).run();
    } catch (Exception | OutOfMemoryError e) {
      return Measurement.failed(assignment.contestant(), assignment.workload(), words(e));
    }
  }

  private static void warmUp(Assignment assignment, int most) throws Exception {
    long compiled = Long.MAX_VALUE;
    for (int i = 0;
        i < most && (i < assignment.leastWarmUps() || compiled > COMPILED_MILLIS);
        i++) {
      long before = COMPILERS.getTotalCompilationTime();
      Measuring warmUp = new Measuring(assignment.warmUp(i), assignment.urls().get(i));
      warmUp.run();
      warmUp.leaveNothingToDo();
      compiled = COMPILERS.getTotalCompilationTime() - before;
    }
  }

  private static String words(Throwable e) {
    Throwable root = e;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root == e ? e.toString() : root + " (" + e.getClass().getSimpleName() + ")";
  }
}
