package io.outbox.internal.keyed;

import io.outbox.internal.store.StoreSession;
import io.outbox.model.EventKey;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.lanes.KeyBlock;
import io.outbox.spi.lanes.LaneStore;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** The blocks of keys in the table. Mostly there is none, and nobody asks. Thread-safe. */
public final class StoredBlocks {

  private static final int MAX_COUNTED = 1_000;

  private final StoreSession session;
  private final LaneStore store;
  private final MetricsExporter metrics;
  private final boolean blockAfterDead;
  private volatile Set<Integer> without = Set.of(); // lanes in which no key is blocked

  public StoredBlocks(
      StoreSession session, LaneStore store, MetricsExporter metrics, boolean blockAfterDead) {
    this.session = session;
    this.store = store;
    this.metrics = metrics;
    this.blockAfterDead = blockAfterDead;
  }

  /** Looks whether keys of these lanes are blocked at all. */
  void look(Set<Integer> lanes) {
    without = Set.of();
    int blocked =
        lanes.isEmpty() ? 0 : session.read(conn -> store.blocks(conn, lanes, MAX_COUNTED)).size();
    without = blocked > 0 || blockAfterDead ? Set.of() : Set.copyOf(lanes);
    metrics.recordBlockedKeys(blocked);
  }

  /** Which events block these keys. */
  Map<EventKey, String> of(Collection<EventKey> keys) {
    Set<Integer> free = without;
    if (keys.stream().allMatch(key -> free.contains(key.lane()))) {
      return Map.of();
    }
    Map<EventKey, String> blockers = new HashMap<>();
    for (KeyBlock block : session.read(conn -> store.blocks(conn, keys))) {
      blockers.put(block.key(), block.eventId());
    }
    return blockers;
  }
}
