package io.outbox.spi;

/** How an outbox delivers. All nodes that deliver from a table must have the same mode. */
public enum DeliveryMode {
  SINGLE_NODE("singleNode()", true),
  MULTI_NODE("multiNode()", false),
  ORDERED("ordered()", true),
  ORDERED_BY_KEY("orderedByKey()", false);

  private final String builder;
  private final boolean forOneProcess;

  DeliveryMode(String builder, boolean forOneProcess) {
    this.builder = builder;
    this.forOneProcess = forOneProcess;
  }

  /** Whether only one process should deliver from a table in this mode. */
  public boolean isForOneProcess() {
    return forOneProcess;
  }

  /** What builds it, for messages. */
  @Override
  public String toString() {
    return builder;
  }
}
