package io.outbox.cli.change;

import picocli.CommandLine.Option;

/** The types that a pause is about. */
final class PausedTypes {

  @Option(names = "--type", paramLabel = "NAME", description = "Events of this type.")
  private String eventType;

  @Option(
      names = "--aggregate-type",
      paramLabel = "NAME",
      description = "Events of this aggregate type.")
  private String aggregateType;

  String eventType() {
    return eventType;
  }

  String aggregateType() {
    return aggregateType;
  }

  boolean isEmpty() {
    return eventType == null && aggregateType == null;
  }
}
