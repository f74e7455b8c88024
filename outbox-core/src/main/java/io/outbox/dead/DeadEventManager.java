package io.outbox.dead;

import io.outbox.internal.Checks;
import io.outbox.internal.store.StoreSession;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.OutboxStore;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * Finds and replays DEAD events. A failure is logged and returns the neutral value. Thread-safe.
 */
public final class DeadEventManager {

  private static final Logger LOG = PrintableLogger.of(DeadEventManager.class);

  private final StoreSession session;

  public DeadEventManager(ConnectionProvider connectionProvider, OutboxStore outboxStore) {
    this.session = new StoreSession(connectionProvider, outboxStore);
  }

  /**
   * DEAD events, oldest first.
   *
   * @param eventType null for all
   * @param aggregateType null for all
   * @return empty if the query failed
   */
  public List<OutboxEvent> query(String eventType, String aggregateType, int limit) {
    Checks.atLeast(1, "limit", limit);
    try {
      return session.read(conn -> session.store().queryDead(conn, eventType, aggregateType, limit));
    } catch (RuntimeException e) {
      LOG.log(Level.ERROR, "dead events cannot be listed", e);
      return List.of();
    }
  }

  /** Makes a DEAD event NEW; false if it is not DEAD, or that failed. */
  public boolean replay(String eventId) {
    Objects.requireNonNull(eventId, "eventId");
    try {
      return session.inTransaction(conn -> session.store().replayDead(conn, eventId)) > 0;
    } catch (RuntimeException e) {
      LOG.log(Level.ERROR, () -> "event " + eventId + " cannot be replayed", e);
      return false;
    }
  }

  /**
   * Replays all matching events, a transaction per batch. An event that dies again meanwhile is not
   * replayed twice.
   *
   * @return how many were replayed before it ended or failed
   */
  public int replayAll(String eventType, String aggregateType, int batchSize) {
    Checks.atLeast(1, "batchSize", batchSize);
    int replayed = 0;
    try {
      int left = atMost(eventType);
      Set<String> seen = new HashSet<>();
      int window = batchSize;
      boolean more = true;
      while (more && seen.size() < left) {
        int limit = window;
        List<OutboxEvent> dead =
            session.read(conn -> session.store().queryDead(conn, eventType, aggregateType, limit));
        List<String> unseen = addUnseen(dead, seen, Math.min(batchSize, left - seen.size()));
        replayed += replayBatch(unseen);
        // Events that died again are the oldest, too, and hide those behind them.
        more = !unseen.isEmpty() || dead.size() >= window;
        window = unseen.isEmpty() ? (int) Math.min(Integer.MAX_VALUE, 2L * window) : batchSize;
      }
    } catch (RuntimeException e) {
      int done = replayed;
      LOG.log(Level.ERROR, () -> "replaying stopped after " + done + " events", e);
    }
    return replayed;
  }

  /** A store need not be able to count. */
  private int atMost(String eventType) {
    try {
      return session.read(conn -> session.store().countDead(conn, eventType));
    } catch (UnsupportedOperationException e) {
      return Integer.MAX_VALUE;
    }
  }

  /** How many events are DEAD; 0 if the query failed. */
  public int count(String eventType) {
    try {
      return session.read(conn -> session.store().countDead(conn, eventType));
    } catch (RuntimeException e) {
      LOG.log(Level.ERROR, "dead events cannot be counted", e);
      return 0;
    }
  }

  private static List<String> addUnseen(List<OutboxEvent> dead, Set<String> seen, int most) {
    List<String> unseen = new ArrayList<>();
    for (OutboxEvent event : dead) {
      if (unseen.size() < most && seen.add(event.eventId())) {
        unseen.add(event.eventId());
      }
    }
    return unseen;
  }

  private int replayBatch(List<String> eventIds) {
    return session.inTransaction(
        conn -> eventIds.stream().mapToInt(id -> session.store().replayDead(conn, id)).sum());
  }
}
