package io.outbox.internal.keyed;

import io.outbox.internal.record.OutcomeRecorder;
import io.outbox.internal.record.UnwrittenOutcome;
import io.outbox.internal.store.StoreSession;
import io.outbox.model.EventKey;
import io.outbox.model.EventStatus;
import io.outbox.spi.Outcome;
import io.outbox.spi.OutcomeResult;
import io.outbox.spi.lanes.KeyBlock;
import io.outbox.spi.lanes.Lane;
import io.outbox.spi.lanes.LaneStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Writes the outcomes of keyed events: only while their lane is still owned under the same epoch,
 * and of each key in the order of its events.
 */
public final class KeyedOutcomes implements OutcomeRecorder.Writer<KeyedDelivery> {

  private final StoreSession session;
  private final LaneStore store;
  private final String node;
  private final KeyQueues queues;
  private final boolean blockAfterDead;
  private final Consumer<Set<Lane>> lost;

  /**
   * @param lost told of lanes that are not this node's any more
   */
  public KeyedOutcomes(
      StoreSession session,
      LaneStore store,
      String node,
      KeyQueues queues,
      boolean blockAfterDead,
      Consumer<Set<Lane>> lost) {
    this.session = session;
    this.store = store;
    this.node = node;
    this.queues = queues;
    this.blockAfterDead = blockAfterDead;
    this.lost = lost;
  }

  @Override
  public List<OutcomeResult> write(Connection conn, List<UnwrittenOutcome<KeyedDelivery>> batch)
      throws SQLException {
    List<KeyedDelivery> deliveries = batch.stream().map(entry -> entry.delivery).toList();
    Set<KeyedDelivery> writable = queues.writable(deliveries);
    Set<Lane> asked = writable.stream().map(KeyedDelivery::lane).collect(Collectors.toSet());
    Set<Lane> owned = store.lock(conn, node, asked);
    if (!owned.containsAll(asked)) {
      asked.removeAll(owned);
      lost.accept(asked);
    }
    OutcomeResult[] results = new OutcomeResult[batch.size()];
    List<Integer> positions = new ArrayList<>();
    for (int i = 0; i < results.length; i++) {
      if (!writable.contains(deliveries.get(i))) {
        results[i] = OutcomeResult.LOCKED; // one before it is not written
      } else if (!owned.contains(deliveries.get(i).lane()) || deliveries.get(i).isRevoked()) {
        results[i] = OutcomeResult.LOST;
      } else {
        positions.add(i);
      }
    }
    List<Outcome> outcomes = positions.stream().map(i -> batch.get(i).outcome).toList();
    List<OutcomeResult> answers = session.store().recordOutcomes(conn, outcomes);
    for (int i = 0; i < positions.size(); i++) {
      results[positions.get(i)] = answers.get(i);
    }
    checkOrder(deliveries, results);
    updateBlocks(conn, batch, results);
    return Arrays.asList(results);
  }

  /** If one of a key is locked, those behind it must wait: all is undone and tried again. */
  private static void checkOrder(List<KeyedDelivery> deliveries, OutcomeResult[] results)
      throws SQLException {
    Map<EventKey, KeyedDelivery> firstLocked = new HashMap<>();
    for (int i = 0; i < results.length; i++) {
      if (results[i] == OutcomeResult.LOCKED) {
        firstLocked.merge(
            deliveries.get(i).key(), deliveries.get(i), (a, b) -> a.seq() < b.seq() ? a : b);
      }
    }
    for (int i = 0; i < results.length && !firstLocked.isEmpty(); i++) {
      KeyedDelivery locked = firstLocked.get(deliveries.get(i).key());
      if (results[i] == OutcomeResult.WRITTEN
          && locked != null
          && locked.seq() < deliveries.get(i).seq()) {
        throw new SQLTransactionRollbackException(
            "event " + locked.eventId() + " is locked, and an event of its key behind it is not");
      }
    }
  }

  /** An event that died blocks its key; one that had, and is done after a replay, lifts that. */
  private void updateBlocks(
      Connection conn, List<UnwrittenOutcome<KeyedDelivery>> batch, OutcomeResult[] results) {
    List<KeyBlock> blocks = new ArrayList<>();
    List<EventKey> lifted = new ArrayList<>();
    for (int i = 0; i < results.length; i++) {
      KeyedDelivery delivery = batch.get(i).delivery;
      Outcome outcome = batch.get(i).outcome;
      if (!isThere(results[i])) {
        continue;
      }
      if (outcome.status() == EventStatus.DEAD && blockAfterDead) {
        blocks.add(new KeyBlock(delivery.key(), outcome.eventId(), outcome.at(), outcome.error()));
      } else if (outcome.status() == EventStatus.DONE && delivery.blocksItsKey()) {
        lifted.add(delivery.key());
      }
    }
    if (!blocks.isEmpty()) {
      store.block(conn, blocks);
    }
    if (!lifted.isEmpty()) {
      store.unblock(conn, lifted);
    }
  }

  private static boolean isThere(OutcomeResult result) {
    return result == OutcomeResult.WRITTEN || result == OutcomeResult.ALREADY_THERE;
  }
}
