package io.outbox.internal.poll;

import io.outbox.internal.poll.PollCycle.Position;

/**
 * Where a poller goes on: at the first row once in an interval, else behind what it has passed. For
 * the poller's thread.
 */
final class PollWay {

  private final PollSink sink;
  private final long intervalNanos;
  private long start = System.nanoTime(); // when it last began at the first row
  private Position passed; // where the last drain ended
  private Position cursor; // null: the first row
  private boolean room; // at a listener that was busy: its events are among the first rows
  private boolean aside; // it looks at these
  private Position left; // where it goes on after that
  private int unwanted; // routes, when it left

  PollWay(PollSink sink, long intervalNanos) {
    this.sink = sink;
    this.intervalNanos = intervalNanos;
  }

  /** A drain begins. */
  void begin() {
    room |= sink.takeRoom();
    if (passed != null && nanosLeft() > 0 && (room || !sink.unwantedRoutes().isEmpty())) {
      goTo(passed); // not from the start: what is not wanted may be most of the table
    } else {
      beginAnew();
    }
  }

  private void goTo(Position from) {
    cursor = from;
    passed = null;
    aside = false;
  }

  /** Rows that became visible behind it are found then. */
  void beginAnewIfDue() {
    if (nanosLeft() <= 0) {
      beginAnew();
    }
  }

  private void beginAnew() {
    start = System.nanoTime();
    goTo(null);
  }

  long nanosLeft() {
    return start + intervalNanos - System.nanoTime();
  }

  /** Where the next batch begins; null for the first row. */
  Position next() {
    room |= sink.takeRoom();
    if (room && cursor != null) {
      left = aside ? left : cursor;
      aside = true;
      unwanted = sink.unwantedRoutes().size();
      cursor = null;
      passed = null; // if this fails, all begins anew
    }
    room = false;
    return cursor;
  }

  /** Nothing of a batch was refused. */
  void passed(PollCycle.Result result) {
    cursor = result.end();
    passed = result.end();
    if (aside && result.full() && sink.unwantedRoutes().size() > unwanted) {
      goTo(left); // it is busy again: its other events are not passed once more
    }
  }
}
