package io.outbox.samples.demo;

import io.outbox.model.EventStatus;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Two small tables side by side: where all events are, and how long a commit takes to arrive. */
final class Summary {

  private final Map<EventStatus, Integer> counts;
  private final Latencies latencies;

  Summary(Map<EventStatus, Integer> counts, Latencies latencies) {
    this.counts = counts;
    this.latencies = latencies;
  }

  void print(Narrator narrator) {
    List<String> right =
        List.of(
            line("p50", 50),
            line("p95", 95),
            line("max", 100),
            "over " + latencies.count() + " events");
    narrator.say("status    events      commit() to listener");
    narrator.say("----------------      --------------------");
    for (EventStatus status : EventStatus.values()) {
      narrator.say(
          String.format(
              Locale.ROOT,
              "%-6s %,9d      %s",
              status,
              counts.getOrDefault(status, 0),
              right.get(status.ordinal())));
    }
  }

  private String line(String label, int percent) {
    return String.format("%-4s %15s", label, Narrator.millis(latencies.percentile(percent)));
  }
}
