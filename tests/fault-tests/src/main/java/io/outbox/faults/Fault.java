package io.outbox.faults;

import java.time.Duration;

/** Something that was done to the nodes or their servers. */
final class Fault {

  private final String what;
  private final String node; // null: all of them
  private final int count;
  private final long begun;
  private Long ended;
  private Duration recovery;

  /**
   * @param node the only one it was done to; null for all
   * @param count how many there are, such as connections cut
   */
  Fault(String what, String node, int count, long begun) {
    this.what = what;
    this.node = node;
    this.count = count;
    this.begun = begun;
  }

  void end(long nanos) {
    ended = nanos;
  }

  void recovered(Duration after) {
    recovery = after;
  }

  String what() {
    return what;
  }

  int count() {
    return count;
  }

  boolean isOver() {
    return ended != null;
  }

  long ended() {
    return ended;
  }

  /** Until all that had been written when it ended was delivered; null if that was not seen. */
  Duration recovery() {
    return recovery;
  }

  /** Whether it can be why a call of a node had to be made again. */
  boolean explains(String ofNode, long firstCall, long secondCall, Duration aftermath) {
    boolean touched = node == null || node.equals(ofNode);
    boolean over = ended != null && ended + aftermath.toNanos() < firstCall;
    return touched && begun <= secondCall && !over;
  }
}
