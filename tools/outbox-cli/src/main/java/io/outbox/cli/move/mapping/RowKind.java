package io.outbox.cli.move.mapping;

import io.outbox.model.EventStatus;
import java.util.Locale;

/** What a row of a source table stands for. */
public enum RowKind {
  PENDING(EventStatus.NEW),
  FINISHED(EventStatus.DONE),
  DEAD(EventStatus.DEAD);

  private final EventStatus status;

  RowKind(EventStatus status) {
    this.status = status;
  }

  /** The status of its event. */
  public EventStatus status() {
    return status;
  }

  /** As it is written in a mapping and on the command line. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
