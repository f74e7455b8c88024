package io.outbox.faults.scenario;

import io.outbox.faults.node.Cluster;
import io.outbox.faults.node.NodeSettings;
import io.outbox.faults.server.Program;
import io.outbox.testdb.TestDatabase;
import java.time.Duration;

/** The clocks of two nodes are wrong by more than anything may take; the third one's is right. */
public final class SkewedClocks extends OnOneServer {

  private static final Duration SHORT = Duration.ofSeconds(1);
  private static final Duration LONG = Duration.ofSeconds(3);

  public SkewedClocks() {
    super(TestDatabase.POSTGRES);
  }

  @Override
  public NodeSettings settings(NodeSettings defaults, int place) {
    NodeSettings settings = super.settings(defaults, place);
    return switch (place) {
      case 0 -> at(settings, "+300s");
      case 1 -> settings;
      default -> at(settings, "-300s");
    };
  }

  /** Only the time of day is wrong: what a JVM waits by stays as it is. */
  private static NodeSettings at(NodeSettings settings, String offset) {
    return settings
        .withVariable("LD_PRELOAD", Program.FAKETIME.path().toString())
        .withVariable("FAKETIME", offset)
        .withVariable("FAKETIME_DONT_FAKE_MONOTONIC", "1")
        // else each wait of a JVM takes far too long, or no time at all
        .withVariable("FAKETIME_FORCE_MONOTONIC_FIX", "0");
  }

  @Override
  public void fault(Cluster cluster, FaultLog log) throws Exception {
    Fault fault = log.condition("wrong clocks");
    cluster.passTime(SHORT, LONG);
    fault.end(System.nanoTime());
  }
}
