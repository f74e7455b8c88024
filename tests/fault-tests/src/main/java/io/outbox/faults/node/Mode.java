package io.outbox.faults.node;

import java.util.Arrays;

/** How the nodes deliver. */
public enum Mode {
  MULTI_NODE("multiNode"),
  ORDERED_BY_KEY("orderedByKey");

  private final String text;

  Mode(String text) {
    this.text = text;
  }

  public static Mode of(String text) {
    return Arrays.stream(values())
        .filter(mode -> mode.text.equals(text))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "there is no mode " + text + "; there are: " + Arrays.toString(values())));
  }

  @Override
  public String toString() {
    return text;
  }
}
