package io.outbox.spi;

import java.sql.Connection;
import java.time.Duration;
import java.util.List;

/**
 * Which nodes deliver from a table, and in which mode. Methods work on the connection they are
 * given, in the transaction it is in.
 */
public interface MemberStore {

  /** Whether its table is there. Without it nodes do not know of each other. */
  boolean isInstalled(Connection conn);

  /**
   * Takes note that this node is alive, and decides whether it may deliver: not while a node of
   * another mode may that is alive. Of nodes that come at the same time one is first.
   *
   * @param lifetime for how long it counts as alive from now on, by the database's time
   * @param detail what else it says about itself, see {@link io.outbox.spi.MemberDetail}; null if
   *     nothing
   * @return whether it may deliver
   */
  boolean beat(Connection conn, String node, DeliveryMode mode, Duration lifetime, String detail);

  /** Forgets a node that has ended. */
  void leave(Connection conn, String node);

  /** The live nodes, waiting ones included, the oldest first. */
  List<Member> list(Connection conn);
}
