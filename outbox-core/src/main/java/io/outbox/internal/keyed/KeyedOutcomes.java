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
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
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
    if (blockAfterDead) {
      block(conn, batch, results);
    }
    unblock(conn, batch, results);
    return Arrays.asList(results);
  }

  /** If one of a key is locked, those behind it must wait: all is undone and tried again. */
  private static void checkOrder(List<KeyedDelivery> deliveries, OutcomeResult[] results)
      throws SQLException {
    Set<EventKey> locked = new HashSet<>();
    for (int i = 0; i < results.length; i++) {
      if (results[i] == OutcomeResult.LOCKED) {
        locked.add(deliveries.get(i).key());
      }
    }
    for (int i = 0; i < results.length && !locked.isEmpty(); i++) {
      if (results[i] == OutcomeResult.WRITTEN && locked.contains(deliveries.get(i).key())) {
        KeyedDelivery written = deliveries.get(i);
        for (int j = 0; j < results.length; j++) {
          KeyedDelivery other = deliveries.get(j);
          if (results[j] == OutcomeResult.LOCKED
              && other.key().equals(written.key())
              && other.seq() < written.seq()) {
            throw new SQLTransactionRollbackException(
                "event "
                    + other.eventId()
                    + " is locked, and an event of its key behind it is not");
          }
        }
      }
    }
  }

  private void block(
      Connection conn, List<UnwrittenOutcome<KeyedDelivery>> batch, OutcomeResult[] results) {
    List<KeyBlock> blocks = new ArrayList<>();
    for (int i = 0; i < results.length; i++) {
      Outcome outcome = batch.get(i).outcome;
      if (isThere(results[i]) && outcome.status() == EventStatus.DEAD) {
        blocks.add(
            new KeyBlock(
                batch.get(i).delivery.key(), outcome.eventId(), outcome.at(), outcome.error()));
      }
    }
    if (!blocks.isEmpty()) {
      store.block(conn, blocks);
    }
  }

  /** The event that blocked its key was replayed, and is done. */
  private void unblock(
      Connection conn, List<UnwrittenOutcome<KeyedDelivery>> batch, OutcomeResult[] results) {
    Collection<EventKey> lifted = new ArrayList<>();
    for (int i = 0; i < results.length; i++) {
      KeyedDelivery delivery = batch.get(i).delivery;
      boolean done = batch.get(i).outcome.status() == EventStatus.DONE;
      if (isThere(results[i]) && done && delivery.blocksItsKey()) {
        lifted.add(delivery.key());
      }
    }
    if (!lifted.isEmpty()) {
      store.unblock(conn, lifted);
    }
  }

  private static boolean isThere(OutcomeResult result) {
    return result == OutcomeResult.WRITTEN || result == OutcomeResult.ALREADY_THERE;
  }
}
