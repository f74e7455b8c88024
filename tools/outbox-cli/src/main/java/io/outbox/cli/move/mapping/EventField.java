package io.outbox.cli.move.mapping;

import java.util.Locale;

/** The parts of an event that a mapping fills. */
public enum EventField {
  ID,
  TYPE,
  AGGREGATE_TYPE,
  AGGREGATE_ID,
  TENANT_ID,
  PAYLOAD,
  CONTENT_TYPE,
  HEADERS,
  ORDERING_KEY,
  PARTITION_KEY,
  OCCURRED_AT,
  AVAILABLE_AT,
  FINISHED_AT,
  ERROR;

  /** As it is written in a mapping. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
