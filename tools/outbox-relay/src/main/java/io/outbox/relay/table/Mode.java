package io.outbox.relay.table;

import io.outbox.relay.yaml.Values;

/** How the events of a table are delivered; see the builders of {@code Outbox}. */
public enum Mode {
  /** No order, one relay on the table. */
  SINGLE_NODE,
  /** No order, many relays. */
  MULTI_NODE,
  /** All in order, one relay, one attempt. */
  ORDERED,
  /** Those of each key in order, many relays. */
  ORDERED_BY_KEY;

  @Override
  public String toString() {
    return Values.name(this);
  }
}
