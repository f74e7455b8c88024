package io.outbox.spi.lanes;

import java.util.Objects;

/** A lane to return, if it was not granted again since {@code stamp}. */
public record LaneReturn(Lane lane, long stamp) {

  public LaneReturn {
    Objects.requireNonNull(lane, "lane");
  }
}
