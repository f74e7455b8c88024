package io.outbox.operate;

import java.util.List;
import java.util.Objects;

/**
 * The dry run of an action: its effect if it ran now.
 *
 * @param count how many events
 * @param sample the newest of them
 */
public record Preview(Count count, List<EventSummary> sample) {

  public Preview {
    Objects.requireNonNull(count, "count");
    sample = List.copyOf(Objects.requireNonNull(sample, "sample"));
  }
}
