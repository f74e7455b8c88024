package io.outbox.dispatch;

import io.outbox.internal.Conditions;
import io.outbox.internal.EngineClock;
import io.outbox.internal.StoreSession;
import io.outbox.model.DueEvent;
import io.outbox.model.EventKey;
import io.outbox.model.EventRoute;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.KeySignals;
import io.outbox.spi.LaneStore;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * How nodes learn at once what others have committed: by notifications where the database has them
 * and they arrive, else by looking for due events. A node without others does neither.
 */
final class NodeNews {

  /** The node that learns. */
  interface Node {
    /** Whether other nodes share the lanes. */
    boolean hasOthers();

    /** Whether it can read what it is told of. */
    boolean isReady();

    /** Events that it need not be told of. */
    List<EventRoute> notWanted();

    /** Whether an event is this node's to deliver, and not yet with it. */
    boolean isNews(DueEvent event);

    /** There is something for these keys; empty if for too many to tell. */
    void heard(Optional<Set<EventKey>> keys);
  }

  private final KeyBroadcast broadcast; // null: the database has no notifications
  private final KeyHearing hearing; // as well
  private final DueWatch watch;

  NodeNews(
      StoreSession session,
      ConnectionProvider connections,
      LaneStore store,
      EngineClock clock,
      Conditions conditions,
      Node node) {
    Optional<KeySignals> signals = store.signals();
    broadcast = signals.map(means -> new KeyBroadcast(session, means)).orElse(null);
    hearing =
        signals
            .map(
                means ->
                    new KeyHearing(
                        session, connections, means, node::hasOthers, node::heard, conditions))
            .orElse(null);
    watch =
        new DueWatch(
            session,
            store,
            clock,
            node::notWanted,
            node::isNews,
            () -> node.hasOthers() && node.isReady() && !isHearing(),
            keys -> node.heard(Optional.of(keys)));
  }

  private boolean isHearing() {
    return hearing != null && hearing.isHearing();
  }

  void start() {
    if (hearing != null) {
      broadcast.start();
      hearing.start();
    }
    watch.start();
  }

  /** Begins nothing more. */
  void close() {
    watch.close();
    if (hearing != null) {
      broadcast.close();
      hearing.close();
    }
  }

  /** Waits for the connection that is kept, after {@link #close}, for {@code nanos} at most. */
  void join(long nanos) throws InterruptedException {
    if (hearing != null) {
      hearing.join(nanos);
    }
  }

  /** Something was committed for a key of another node. */
  void tell(EventKey key) {
    if (broadcast != null) {
      broadcast.tell(key);
    }
  }
}
