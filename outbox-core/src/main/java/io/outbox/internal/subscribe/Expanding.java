package io.outbox.internal.subscribe;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.internal.BatchHook.Ahead;
import io.outbox.internal.BatchHook.Rows;
import io.outbox.internal.OwnWork;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** An event on its way to its copies. For the thread of the expansion, but for what it says. */
final class Expanding {

  private static final Rows NONE = new Rows(List.of(), null, List.of());

  final EventEnvelope event;

  /**
   * May be asked and completed by any thread. The engine cannot cancel it: the event stays ours
   * until its rows are written, which is soon.
   */
  final CompletableFuture<DispatchResult> answer =
      new CompletableFuture<>() {
        @Override
        public boolean cancel(boolean mayInterrupt) {
          return false;
        }
      };

  private List<EventEnvelope> copies = List.of();
  private List<EventEnvelope> writtenFirst = List.of();
  private Ahead ahead; // null: no copy is delivered before its row is written
  private boolean mayHaveCopies = true;
  private boolean ours;
  private long beganNanos;
  private boolean mayBeThere;
  private boolean mayBeOurs;
  private boolean over;
  private volatile boolean ended;

  Expanding(EventEnvelope event) {
    this.event = event;
  }

  /** How its copies are delivered; null if their rows are written first. */
  void deliverBy(Ahead ahead) {
    this.ahead = ahead;
    mayHaveCopies = ahead == null || !ahead.isFirst();
  }

  /** Whether copies of it may be in the table. */
  boolean mayHaveCopies() {
    return mayHaveCopies;
  }

  /**
   * Delivers the copies that can be delivered before their rows are written.
   *
   * @param copies those that are missing
   * @param ours false if it is another listener's by now
   * @param whenEnded told, once, by any thread
   */
  void begin(List<EventEnvelope> copies, boolean ours, Runnable whenEnded) {
    this.copies = copies;
    this.ours = ours;
    beganNanos = System.nanoTime();
    writtenFirst = new ArrayList<>(copies);
    if (ahead != null) {
      writtenFirst.removeIf(ahead::offer);
      ahead.whenEnded(
          () -> {
            ended = true;
            whenEnded.run();
          });
    } else {
      ended = true;
      whenEnded.run();
    }
  }

  /** Whether all copies that are delivered already have been. */
  boolean hasEnded() {
    return ended;
  }

  long beganNanos() {
    return beganNanos;
  }

  /** Whether copies wait for their rows, or there are none. */
  boolean isUrgent() {
    return copies.isEmpty() || !writtenFirst.isEmpty();
  }

  /** Whether listeners have copies whose outcomes nobody else knows. */
  boolean isAhead() {
    return copies.size() > writtenFirst.size();
  }

  List<EventEnvelope> copies() {
    return copies;
  }

  /** The copies whose rows are written first, without those that are there. */
  List<EventEnvelope> writtenFirst(Set<String> there) {
    return there.isEmpty()
        ? writtenFirst
        : writtenFirst.stream().filter(copy -> !there.contains(copy.eventId())).toList();
  }

  /** The rows of the other copies, without those that are there. */
  Rows rows(Set<String> there) {
    return ahead == null ? NONE : ahead.rows(there, mayBeOurs);
  }

  /** All rows are committed. */
  void written() {
    if (ahead != null) {
      ahead.written();
    }
    over = true;
    answer.complete(ours ? DispatchResult.done() : OwnWork.FOR_ANOTHER);
  }

  /** The rows will not be written. */
  void refused(Throwable failure) {
    letGo();
    answer.completeExceptionally(failure);
  }

  /** The rows are not written now. */
  void refused(DispatchResult result) {
    letGo();
    answer.complete(result);
  }

  private void letGo() {
    over = true;
    if (ahead != null) {
      copies.forEach(ahead::refused);
    }
  }

  /** Whether it has its answer. */
  boolean isOver() {
    return over;
  }

  /**
   * A try to write the rows has failed: some may be there all the same.
   *
   * @param unanswered whether they may be there by that try
   */
  void wasTried(boolean unanswered) {
    mayBeThere = true;
    mayBeOurs |= unanswered;
  }

  boolean mayBeThere() {
    return mayBeThere;
  }
}
