package io.outbox.internal.keyed;

import io.outbox.model.EventKey;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;

/**
 * Plans when to read more of the keys that have events here. What a read brings may be outdated
 * when something of its key was dropped meanwhile. Not thread-safe.
 */
final class KeyReads {

  /**
   * Who reads events from the table. Called under the lock of the queues, so it only takes note.
   */
  interface Feed {
    /** There is something of this key, which has nothing here; returns whether that was news. */
    boolean readFirst(EventKey key);

    /** There may be something of this key, which has nothing here, whenever it was to be read. */
    void readAnyway(EventKey key);

    /** There may be more of this key behind {@code afterSeq}. */
    void readOn(EventKey key, long afterSeq);

    /** Whether this key is to be read, now or at a time; or perhaps, if very many are. */
    boolean isWanted(EventKey key);

    /** What was wanted of this key is not wanted any more. */
    void forget(EventKey key);

    /** Events of this key were left in the table; they cannot start before {@code at}. */
    void readAt(EventKey key, Instant at);

    /** It is not held any more; nothing was done with it. */
    void dropped(KeyedDelivery delivery);
  }

  /** What is known of one key that has events here. */
  static final class OfKey {
    private final EventKey key;
    private boolean more; // there may be more in the table
    private boolean reading; // more was asked for
    private boolean again; // something was committed since
    private int window; // how many are read at a time
    private long lastSeq; // the largest that was accepted in turn

    OfKey(EventKey key) {
      this.key = key;
    }

    /** Whether more was asked for, and has not come. */
    boolean isUnderWay() {
      return reading;
    }

    /** Whether there may be more in the table, and it will be read. */
    boolean hasMore() {
      return more || reading;
    }

    /** An event was queued in its turn. */
    void accepted(long seq) {
      lastSeq = Math.max(lastSeq, seq);
    }
  }

  private final Feed feed;
  private final Set<EventKey> leftDuringRead = new HashSet<>();
  private final Set<EventKey> underWay = new HashSet<>();
  private long reads;
  private boolean stopped;

  KeyReads(Feed feed) {
    this.feed = feed;
  }

  /** Nothing is asked for any more. */
  void stop() {
    stopped = true;
  }

  /** How many there were, with the one that is under way. */
  long count() {
    return reads;
  }

  /** To be called before the table is asked; until the next read, what was read may be outdated. */
  void started() {
    reads++;
    leftDuringRead.clear();
  }

  /** These are what the read is for. */
  void chosen(Set<EventKey> keys) {
    underWay.clear();
    underWay.addAll(keys);
  }

  /** The read of this key has ended, whatever it found. */
  void ended(EventKey key) {
    underWay.remove(key);
  }

  /** Whether events of this key may come from the table soon. */
  boolean mayBring(EventKey key) {
    return underWay.contains(key) || feed.isWanted(key);
  }

  /** Whether it was decided anew when to read this key, so that this read of it is outdated. */
  boolean isOutdated(EventKey key) {
    return leftDuringRead.contains(key);
  }

  /** There is something new in the table for a key with {@code waiting} events here. */
  void committed(OfKey of, int waiting) {
    if (of.reading) {
      of.again = true;
    } else {
      of.more = true;
      goOn(of, waiting);
    }
  }

  /** Asks for more before the last of those that wait is delivered. */
  void goOn(OfKey of, int waiting) {
    if (of.more && !of.reading && !stopped && waiting <= of.window / 2) {
      of.reading = true;
      feed.readOn(of.key, of.lastSeq);
    }
  }

  /**
   * A read of this key has ended.
   *
   * @param more whether there may be more behind what it found
   * @param window how many events of a key are read at a time
   */
  void ended(OfKey of, boolean more, int window, int waiting) {
    boolean wasAsked = of.reading;
    of.reading = false;
    of.window = window;
    // If nobody asked for this read: it may be older than what was noted, or have less.
    boolean noted = of.more && !wasAsked;
    of.more = (more || of.again || noted) && !isOutdated(of.key);
    of.again = false;
    goOn(of, waiting);
  }

  /** A read that was wanted did not come to this key, or found no room for it. */
  void repeat(OfKey of, long afterSeq) {
    of.reading = true;
    feed.readOn(of.key, afterSeq);
  }

  /** All that waited of this key is only in the table now. */
  void restart(OfKey of) {
    of.more = false;
    of.reading = false; // what is being read is not taken any more
    of.lastSeq = 0;
    leftDuringRead.add(of.key);
    feed.forget(of.key); // behind which number to read on has no meaning now
  }
}
