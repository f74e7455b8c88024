package io.outbox.internal.keyed;

import io.outbox.model.EventKey;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Keys that are blocked by events that died here. Blocks are in the table; these are only those
 * that a read may not have seen. Not thread-safe.
 */
final class RecentBlocks {

  /**
   * @param read the read that was under way or over when the event died: a later one knows
   */
  private record Block(String eventId, long read) {}

  private static final int MAX_BLOCKS = 10_000;

  private final Map<EventKey, Block> blocks = new LinkedHashMap<>();
  private long added;

  /** An event died, and its key waits from now on. */
  void add(EventKey key, String eventId, long read) {
    added++;
    blocks.put(key, new Block(eventId, read));
    if (blocks.size() > MAX_BLOCKS) {
      blocks.remove(blocks.keySet().iterator().next());
    }
  }

  /** How many there ever were. */
  long added() {
    return added;
  }

  /**
   * The event that blocks a key; null if none does.
   *
   * @param inTable what this read says
   */
  String blockerOf(EventKey key, long read, String inTable) {
    Block died = blocks.get(key);
    if (died != null && died.read < read) {
      blocks.remove(key); // what the table says is newer
      died = null;
    }
    return died != null ? died.eventId : inTable;
  }
}
