package io.outbox.internal.keyed;

import io.outbox.internal.store.StoreFailures;
import io.outbox.internal.store.StoreSession;
import io.outbox.model.EventKey;
import io.outbox.spi.lanes.LaneStore;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Asks the table of which keys one event is all that is pending. For one thread. */
public final class LoneKeys {

  private static final Logger LOG = PrintableLogger.of(LoneKeys.class);
  private static final int MAX_REFUSALS = 3;

  private final StoreSession session;
  private final LaneStore store;
  private final StoredBlocks blocks;
  private int refusals; // one after the other

  public LoneKeys(StoreSession session, LaneStore store, StoredBlocks blocks) {
    this.session = session;
    this.store = store;
    this.blocks = blocks;
  }

  /**
   * The keys that have no other pending event, and are not blocked.
   *
   * @param eventIds an event of each key
   * @return empty if the store cannot tell
   */
  Optional<Set<EventKey>> of(Map<EventKey, String> eventIds) {
    return withOthers(eventIds)
        .map(
            others -> {
              Set<EventKey> alone = new HashSet<>(eventIds.keySet());
              alone.removeAll(others);
              alone.removeAll(blocks.of(alone).keySet());
              return alone;
            });
  }

  private Optional<Set<EventKey>> withOthers(Map<EventKey, String> eventIds) {
    try {
      Optional<Set<EventKey>> others = session.read(conn -> store.withOthers(conn, eventIds));
      refusals = 0;
      return others;
    } catch (RuntimeException e) {
      // Once may be a time limit.
      if (StoreFailures.kindOf(e) != StoreFailures.Kind.REFUSED || ++refusals < MAX_REFUSALS) {
        throw e;
      }
      LOG.log(
          Level.INFO,
          "events are read from the table after their commit, because the database refuses the"
              + " question whether they are the only ones of their keys",
          e);
      return Optional.empty();
    }
  }
}
