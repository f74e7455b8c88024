package io.outbox.benchmarks.workload;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * How much of the machine's CPU time some JVMs, the database and everyone else used since this was
 * created. Needs Linux; elsewhere everything is zero.
 */
public final class MachineUse {

  private static final Path PROC = Path.of("/proc");
  private static final double TICKS_PER_SECOND = 100;

  private final List<Long> jvmPids;
  private final long serverPid;
  private final long parentPid;
  private final Snapshot start;

  /** Seconds of CPU time, by whom they were used. */
  public record Use(double jvm, double server, double othersShare) {}

  private record Snapshot(long nanos, double busy, double jvm, double server, double parent) {}

  /** This process is the one of interest. */
  public MachineUse(long serverPid, long parentPid) {
    this(List.of(ProcessHandle.current().pid()), serverPid, parentPid);
  }

  /** Other JVMs are of interest; {@code parentPid} is one that only waits for them. */
  public MachineUse(List<Long> jvmPids, long serverPid, long parentPid) {
    this.jvmPids = List.copyOf(jvmPids);
    this.serverPid = serverPid;
    this.parentPid = parentPid;
    this.start = snapshot();
  }

  /** Until now. */
  public Use now() {
    Snapshot end = snapshot();
    double jvm = end.jvm - start.jvm;
    double server = end.server - start.server;
    double own = jvm + server + end.parent - start.parent;
    double capacity = (end.nanos - start.nanos) / 1e9 * Runtime.getRuntime().availableProcessors();
    // Ticks are coarse: a short time may seem to have been used twice.
    double others = Math.max(0, end.busy - start.busy - own);
    return new Use(jvm, server, capacity > 0 ? others / capacity : 0);
  }

  private Snapshot snapshot() {
    if (!Files.isReadable(PROC.resolve("stat"))) {
      return new Snapshot(System.nanoTime(), 0, 0, 0, 0);
    }
    return new Snapshot(
        System.nanoTime(),
        busy(),
        jvmPids.stream().mapToDouble(pid -> ticks(pid, false)).sum() / TICKS_PER_SECOND,
        tree(serverPid) / TICKS_PER_SECOND,
        ticks(parentPid, false) / TICKS_PER_SECOND);
  }

  /** All but idle and waiting for disks; guests are counted within user. */
  private static double busy() {
    String[] fields = read(PROC.resolve("stat")).lines().findFirst().orElseThrow().split("\\s+");
    long sum = 0;
    for (int i : new int[] {1, 2, 3, 6, 7, 8}) {
      sum += Long.parseLong(fields[i]);
    }
    return sum / TICKS_PER_SECOND;
  }

  /** A process, its children that ended, and its descendants that live. */
  private static double tree(long root) {
    if (root == 0) {
      return 0;
    }
    Map<Long, List<Long>> children = new HashMap<>();
    for (long pid : processes()) {
      children.computeIfAbsent(parent(pid), p -> new ArrayList<>()).add(pid);
    }
    double sum = 0;
    List<Long> open = new ArrayList<>(List.of(root));
    while (!open.isEmpty()) {
      long pid = open.remove(open.size() - 1);
      sum += ticks(pid, true);
      open.addAll(children.getOrDefault(pid, List.of()));
    }
    return sum;
  }

  private static List<Long> processes() {
    try (Stream<Path> entries = Files.list(PROC)) {
      return entries
          .map(entry -> entry.getFileName().toString())
          .filter(name -> name.matches("\\d+"))
          .map(Long::valueOf)
          .toList();
    } catch (IOException e) {
      return List.of();
    }
  }

  static long parent(long pid) {
    String[] fields = stat(pid);
    return fields.length > 1 ? Long.parseLong(fields[1]) : 0;
  }

  private static double ticks(long pid, boolean withEndedChildren) {
    String[] fields = stat(pid);
    if (fields.length < 15) {
      return 0;
    }
    long sum = Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
    return withEndedChildren ? sum + Long.parseLong(fields[13]) + Long.parseLong(fields[14]) : sum;
  }

  /** What follows the name, which may have blanks in it. */
  private static String[] stat(long pid) {
    String line = read(PROC.resolve(pid + "/stat"));
    return line.isEmpty()
        ? new String[0]
        : line.substring(line.lastIndexOf(')') + 2).trim().split(" ");
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      // It has ended.
      return "";
    }
  }
}
