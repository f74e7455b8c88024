package io.outbox.spi.lanes;

import io.outbox.model.EventKey;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;

/**
 * Tells other nodes at once that something was committed. A lost signal loses no event: the next
 * interval finds it.
 */
public interface KeySignals {

  /** Notifies all listening nodes of events for these keys. */
  void send(Connection conn, Collection<EventKey> keys) throws SQLException;

  /** Notifies all listening nodes that there may be events for any key. */
  void sendAny(Connection conn) throws SQLException;

  /** From now on this connection hears signals. It is used for nothing else. */
  void listen(Connection conn) throws SQLException;

  /** This connection hears nothing any more, and can be given to others. */
  void stopListening(Connection conn) throws SQLException;

  /**
   * Waits for a signal.
   *
   * @return the keys that there is something for, maybe none; empty if there were too many to tell
   */
  Optional<Set<EventKey>> receive(Connection conn, Duration wait) throws SQLException;
}
