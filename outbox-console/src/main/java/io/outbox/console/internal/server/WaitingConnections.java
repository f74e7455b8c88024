package io.outbox.console.internal.server;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.jetty.io.Connection;

/**
 * Connections that have not sent a whole request yet. They cost no thread, but memory and a file:
 * those that take too long are closed, and the oldest when there are too many. Thread-safe.
 */
final class WaitingConnections implements Connection.Listener {

  private final long patienceNanos;
  private final int max;
  private final Map<Connection, Long> since = new LinkedHashMap<>(); // guarded by this

  WaitingConnections(Duration patience, int max) {
    this.patienceNanos = patience.toNanos();
    this.max = max;
  }

  @Override
  public void onOpened(Connection connection) {
    waits(connection);
  }

  @Override
  public void onClosed(Connection connection) {
    goesOn(connection);
  }

  /** From now on, anew, it is to send a request. */
  void waits(Connection connection) {
    Connection oldest = null;
    synchronized (this) {
      since.remove(connection);
      since.put(connection, System.nanoTime());
      if (since.size() > max) {
        Iterator<Connection> all = since.keySet().iterator();
        oldest = all.next();
        all.remove();
      }
    }
    if (oldest != null) {
      oldest.getEndPoint().close();
    }
  }

  /** It has sent a request. */
  synchronized void goesOn(Connection connection) {
    since.remove(connection);
  }

  /** Called every now and then. */
  void closeSlowOnes() {
    List<Connection> slow = new ArrayList<>();
    long now = System.nanoTime();
    synchronized (this) {
      Iterator<Map.Entry<Connection, Long>> all = since.entrySet().iterator();
      while (all.hasNext()) {
        Map.Entry<Connection, Long> each = all.next();
        if (now - each.getValue() <= patienceNanos) {
          break; // those behind came later
        }
        slow.add(each.getKey());
        all.remove();
      }
    }
    slow.forEach(connection -> connection.getEndPoint().close());
  }
}
