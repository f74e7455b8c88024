package io.outbox.spi;

import io.outbox.model.EventRoute;
import io.outbox.subscription.Subscription;
import java.sql.Connection;
import java.time.Instant;
import java.util.List;

/**
 * The stored subscriptions of an outbox table. Methods work on the given connection, in its
 * transaction. A store that has one also answers {@link OutboxStore#findExisting} from its table,
 * and its {@link OutboxStore#insertAll} refuses an id that is there.
 */
public interface SubscriptionStore {

  /** How many subscriptions there may be in all. */
  int MOST = 1_000;

  /** Whether its table is there. Without it no subscription can be stored. */
  boolean isInstalled(Connection conn);

  /** How to add its table, for messages. */
  String howToInstall();

  /** All subscriptions, ended ones included, by route and name. */
  List<Subscription> list(Connection conn);

  /** Subscriptions that are not ended, by route and name. */
  List<Subscription> active(Connection conn);

  /**
   * Counts the pending and DEAD copies of all subscriptions.
   *
   * @param scanLimit how many events of each kind to look at, at most
   */
  default CopyCounts countCopies(Connection conn, int scanLimit) {
    return CopyCounts.UNKNOWN;
  }

  /**
   * Stores a subscription, unless it is there, ended or not.
   *
   * @param since the database's time
   * @return whether it was stored
   * @throws IllegalStateException if there are {@value #MOST} already
   */
  boolean add(Connection conn, EventRoute route, String name, Instant since);

  /**
   * Ends a subscription.
   *
   * @return whether it was active
   */
  boolean end(Connection conn, EventRoute route, String name, Instant until);

  /**
   * Makes an ended subscription active again.
   *
   * @return whether it was ended
   */
  boolean resume(Connection conn, EventRoute route, String name, Instant since);
}
