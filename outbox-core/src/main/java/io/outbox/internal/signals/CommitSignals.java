package io.outbox.internal.signals;

import io.outbox.internal.Conditions;
import io.outbox.internal.store.StoreSession;
import io.outbox.internal.time.EngineClock;
import io.outbox.model.EventKey;
import io.outbox.model.EventRoute;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.lanes.DueEvent;
import io.outbox.spi.lanes.KeySignals;
import io.outbox.spi.lanes.LaneStore;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * How nodes learn at once what others have committed: by notifications where the database has them
 * and they arrive, else by looking for due events. A node without others does neither.
 */
public final class CommitSignals {

  /** The node that learns. */
  public interface Node {
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

  private final KeySignalSender broadcast; // null: the database has no notifications
  private final KeySignalReceiver hearing; // as well
  private final DueWatch watch;

  public CommitSignals(
      StoreSession session,
      ConnectionProvider connections,
      LaneStore store,
      EngineClock clock,
      Conditions conditions,
      Node node) {
    Optional<KeySignals> signals = store.signals();
    broadcast = signals.map(means -> new KeySignalSender(session, means)).orElse(null);
    hearing =
        signals
            .map(
                means ->
                    new KeySignalReceiver(
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
            node::heard);
  }

  private boolean isHearing() {
    return hearing != null && hearing.isHearing();
  }

  public void start() {
    if (hearing != null) {
      broadcast.start();
      hearing.start();
    }
    watch.start();
  }

  /** Begins nothing more. */
  public void close() {
    watch.close();
    if (hearing != null) {
      broadcast.close();
      hearing.close();
    }
  }

  /** Waits for the connection that is kept, after {@link #close}, for {@code nanos} at most. */
  public void join(long nanos) throws InterruptedException {
    if (hearing != null) {
      hearing.join(nanos);
    }
  }

  /** Something was committed for a key of another node. */
  public void tell(EventKey key) {
    if (broadcast != null) {
      broadcast.tell(key);
    }
  }

  /** So much was committed that it is not known for which keys. */
  public void tellAny() {
    if (broadcast != null) {
      broadcast.tellAny();
    }
  }
}
