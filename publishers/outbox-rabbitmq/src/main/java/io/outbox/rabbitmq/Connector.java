package io.outbox.rabbitmq;

import com.rabbitmq.client.Address;
import com.rabbitmq.client.ConnectionFactory;
import io.outbox.OutageException;
import io.outbox.internal.publish.Answers;
import io.outbox.internal.publish.ConnectBackoff;
import io.outbox.util.DaemonThreadFactory;
import io.outbox.util.PrintableLogger;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * Holds the session and opens a new one when it is needed, not too soon after a failure. One thread
 * opens; any may look.
 */
final class Connector {

  private static final Logger LOG = PrintableLogger.of(RabbitMqPublisher.class);

  private final ConnectionFactory factory;
  private final List<Address> addresses; // null: those of the factory
  private final String name;
  private final boolean mandatory;
  private final Quarantine quarantine;
  private final ConnectBackoff backoff = new ConnectBackoff("RabbitMQ", LOG);
  private Socket newSocket; // of the connection that is being opened
  private volatile Session session;

  Connector(
      ConnectionFactory given,
      List<Address> addresses,
      String name,
      Duration limit,
      boolean mandatory,
      Quarantine quarantine) {
    this.factory = bounded(given, (int) Math.min(limit.toMillis(), Integer.MAX_VALUE));
    this.addresses = addresses;
    this.name = name;
    this.mandatory = mandatory;
    this.quarantine = quarantine;
  }

  /** A copy with bounded waits, and without automatic recovery. */
  private ConnectionFactory bounded(ConnectionFactory given, int millis) {
    ConnectionFactory copy = given.clone();
    copy.setAutomaticRecoveryEnabled(false);
    copy.setTopologyRecoveryEnabled(false);
    copy.setConnectionTimeout(atMost(millis, copy.getConnectionTimeout()));
    copy.setHandshakeTimeout(atMost(millis, copy.getHandshakeTimeout()));
    copy.setChannelRpcTimeout(atMost(millis, copy.getChannelRpcTimeout()));
    copy.setThreadFactory(new DaemonThreadFactory("outbox-rabbitmq-client-"));
    copy.setSocketConfigurator(
        copy.getSocketConfigurator().andThen(socket -> this.newSocket = socket));
    return copy;
  }

  private static int atMost(int limit, int given) {
    return given <= 0 ? limit : Math.min(limit, given);
  }

  /** Why nothing can be published at this moment; null if it is worth trying. */
  OutageException outage() {
    Session current = session;
    if (current != null && current.isOpen()) {
      return current.blocked();
    }
    return backoff.tooEarly();
  }

  /**
   * The session, opened now if need be.
   *
   * @param again takes what is to be published once more
   */
  Session session(Consumer<Outgoing> again) throws OutageException {
    OutageException outage = outage();
    if (outage != null) {
      throw outage;
    }
    Session current = session;
    if (current != null && current.isOpen()) {
      return current;
    }
    lost(current, new OutageException("the connection to RabbitMQ was closed"));
    return open(again);
  }

  private Session open(Consumer<Outgoing> again) throws OutageException {
    try {
      newSocket = null;
      Session opened =
          new Session(
              addresses == null
                  ? factory.newConnection(name)
                  : factory.newConnection(addresses, name),
              newSocket,
              mandatory,
              quarantine,
              again);
      session = opened;
      backoff.connected();
      return opened;
    } catch (IOException | TimeoutException | RuntimeException e) {
      throw backoff.failed(new OutageException("RabbitMQ cannot be reached: " + e, e));
    }
  }

  /** This session is of no use any more. */
  void lost(Session dead, OutageException reason) {
    if (dead != null) {
      if (session == dead) {
        session = null;
      }
      dead.end(reason);
    }
  }

  /** Gives up a connection on which the broker has said nothing for so long. */
  void loseIfSilentFor(Duration time) {
    Session current = session;
    if (current != null && current.isSilentFor(time)) {
      LOG.log(Level.WARNING, () -> "no sign of life from RabbitMQ for  " + time + ": reconnecting");
      lost(current, new OutageException("no sign of life from RabbitMQ for  " + time));
    }
  }

  void close() {
    Session current = session;
    session = null;
    if (current != null) {
      current.close(Answers.closed());
    }
  }
}
