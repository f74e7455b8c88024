package io.outbox.faults.scenario;

import java.time.Duration;

/** Something that was done to the nodes or their servers. */
public final class Fault {

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
  public Fault(String what, String node, int count, long begun) {
    this.what = what;
    this.node = node;
    this.count = count;
    this.begun = begun;
  }

  public void end(long nanos) {
    ended = nanos;
  }

  public void recovered(Duration after) {
    recovery = after;
  }

  public String what() {
    return what;
  }

  public int count() {
    return count;
  }

  public boolean isOver() {
    return ended != null;
  }

  public long ended() {
    return ended;
  }

  /** Until all that had been written when it ended was delivered; null if that was not seen. */
  public Duration recovery() {
    return recovery;
  }

  /** Whether it can be why a call of a node had to be made again. */
  public boolean explains(String ofNode, long firstCall, long secondCall, Duration aftermath) {
    boolean touched = node == null || node.equals(ofNode);
    boolean over = ended != null && ended + aftermath.toNanos() < firstCall;
    return touched && begun <= secondCall && !over;
  }
}
