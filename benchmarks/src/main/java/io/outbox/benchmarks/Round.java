package io.outbox.benchmarks;

import io.outbox.benchmarks.contestant.Entry;
import io.outbox.benchmarks.workload.Assignment;
import io.outbox.benchmarks.workload.Measurement;
import io.outbox.benchmarks.workload.MeasuringProcess;
import io.outbox.benchmarks.workload.Workload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import tools.jackson.databind.json.JsonMapper;

/** Measures one contestant once, in a separate JVM and on separate databases. */
final class Round {

  private static final int MEMORY_EVENTS = 1_000_000;
  private static final int LARGE_EVENTS = 2_000;
  private static final int MOST_WARM_UPS = 5;

  private final BenchmarkOptions options;
  private final MeasuredServer server;
  private final String classPath;

  Round(BenchmarkOptions options, MeasuredServer server, String classPath) {
    this.options = options;
    this.server = server;
    this.classPath = classPath;
  }

  Measurement measure(Entry contestant, Workload workload) throws Exception {
    List<MeasuredServer.Fresh> databases =
        Stream.generate(server::fresh).limit(1 + MOST_WARM_UPS).toList();
    try {
      return run(assignment(contestant, workload, databases));
    } finally {
      for (MeasuredServer.Fresh database : databases) {
        server.drop(database);
      }
    }
  }

  private Assignment assignment(
      Entry contestant, Workload workload, List<MeasuredServer.Fresh> databases) {
    int events =
        switch (workload) {
          case MEMORY -> MEMORY_EVENTS;
          case MEMORY_LARGE -> LARGE_EVENTS;
          default -> options.events;
        };
    return new Assignment(
        contestant,
        workload,
        options.database,
        databases.stream().map(MeasuredServer.Fresh::url).toList(),
        server.user(),
        "",
        server.pid(),
        ProcessHandle.current().pid(),
        events,
        options.seconds,
        workload.isMemory() ? 1_200 : options.limitSeconds,
        options.finished,
        options.heldSeconds,
        Assignment.CALM_PER_SECOND);
  }

  private Measurement run(Assignment assignment) throws IOException, InterruptedException {
    Path task = Files.createTempFile("outbox-bench", ".task");
    Path result = Files.createTempFile("outbox-bench", ".result");
    Path log = Files.createTempFile("outbox-bench", ".log");
    try {
      Files.writeString(task, JsonMapper.shared().writeValueAsString(assignment));
      Process process =
          new ProcessBuilder(command(assignment, task, result))
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .start();
      if (!process.waitFor(patienceSeconds(assignment), TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
        return failed(assignment, "did not end");
      }
      String json = Files.readString(result);
      return json.isEmpty()
          ? failed(assignment, lastLine(log))
          : JsonMapper.shared().readValue(json, Measurement.class);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw e;
    } finally {
      for (Path file : List.of(task, result, log)) {
        Files.deleteIfExists(file);
      }
    }
  }

  private static Measurement failed(Assignment assignment, String why) {
    return Measurement.failed(assignment.contestant(), assignment.workload(), why);
  }

  private List<String> command(Assignment assignment, Path task, Path result) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    if (assignment.workload().isMemory()) {
      command.add("-Xmx128m");
    } else {
      // A heap that grows and shrinks is measured too, and how it does depends on what filled it.
      command.addAll(List.of("-Xms1g", "-Xmx1g", "-XX:+AlwaysPreTouch"));
    }
    command.add("-Dorg.springframework.boot.logging.LoggingSystem=none");
    command.add("-cp");
    command.add(classPath);
    command.add(MeasuringProcess.class.getName());
    command.add(task.toString());
    command.add(result.toString());
    return command;
  }

  /** Filling takes long too. */
  private static long patienceSeconds(Assignment assignment) {
    return 600L
        + 4L * assignment.limitSeconds()
        + assignment.seconds()
        + 2L * assignment.heldSeconds()
        + assignment.finished() / 2_000;
  }

  private static String lastLine(Path log) throws IOException {
    List<String> lines = Files.readAllLines(log);
    return lines.isEmpty() ? "ended without a result" : lines.get(lines.size() - 1);
  }
}
