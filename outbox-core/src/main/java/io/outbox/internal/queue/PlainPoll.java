package io.outbox.internal.queue;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A poll for a handler that is not our own. Its rows may be older than what a dispatcher has done
 * meanwhile: what ends while it is under way must not be queued again by it. Thread-safe; begun and
 * ended on the thread that calls the handler.
 */
public final class PlainPoll {

  private static final int MAX_REMEMBERED = 10_000;

  private static final Set<PlainPoll> UNDER_WAY = ConcurrentHashMap.newKeySet();
  private static final ThreadLocal<PlainPoll> CURRENT = new ThreadLocal<>();

  private final Set<String> ended = ConcurrentHashMap.newKeySet();
  private final AtomicInteger remembered = new AtomicInteger();

  private PlainPoll() {}

  /** To be called before the database is asked. */
  public static PlainPoll begin() {
    PlainPoll poll = new PlainPoll();
    CURRENT.set(poll);
    UNDER_WAY.add(poll);
    return poll;
  }

  /** To be called when all rows were handed over. */
  public void end() {
    CURRENT.remove();
    UNDER_WAY.remove(this);
  }

  /** To be called before an event is let go of. */
  public static void ended(String eventId) {
    if (!UNDER_WAY.isEmpty()) { // most of the time it is
      UNDER_WAY.forEach(poll -> poll.remember(eventId));
    }
  }

  private void remember(String eventId) {
    if (remembered.incrementAndGet() <= MAX_REMEMBERED) {
      ended.add(eventId);
    }
  }

  /**
   * Whether the caller hands over a row that may have been read before its event ended. If too many
   * have ended, every row may: they come again with the next poll.
   */
  public static boolean mayBeOutdated(String eventId) {
    PlainPoll poll = CURRENT.get();
    return poll != null && (poll.remembered.get() > MAX_REMEMBERED || poll.ended.contains(eventId));
  }
}
