package io.outbox.rabbitmq;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import io.outbox.OutageException;
import io.outbox.util.PrintableLogger;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * One connection with two channels: one that many messages share, and one on which a message is
 * alone. A channel that was closed is replaced when it is needed; a connection never is.
 */
final class Session {

  private static final Logger LOG = PrintableLogger.of(RabbitMqPublisher.class);
  private static final int ABORT_MILLIS = 1_000;

  private final Connection connection;
  private final Socket socket; // null if the client has none that blocks
  private final boolean mandatory;
  private final Quarantine quarantine;
  private final Consumer<Outgoing> again;
  private volatile ConfirmedChannel shared;
  private volatile ConfirmedChannel alone;
  private volatile String blocked; // why the broker takes nothing now; null while it does

  /**
   * Uses a connection.
   *
   * @param again takes what is to be published once more
   */
  Session(
      Connection connection,
      Socket socket,
      boolean mandatory,
      Quarantine quarantine,
      Consumer<Outgoing> again) {
    this.connection = connection;
    this.socket = socket;
    this.mandatory = mandatory;
    this.quarantine = quarantine;
    this.again = again;
    connection.addBlockedListener(
        reason -> {
          blocked = reason;
          LOG.log(Level.WARNING, () -> "RabbitMQ accepts no messages now: " + reason);
        },
        () -> {
          blocked = null;
          LOG.log(Level.INFO, "RabbitMQ accepts messages again");
        });
  }

  boolean isOpen() {
    return connection.isOpen();
  }

  /** Null while the broker takes messages. */
  OutageException blocked() {
    String reason = blocked;
    return reason == null
        ? null
        : new OutageException("RabbitMQ accepts no messages now: " + reason);
  }

  /** Publishes it beside others. */
  void publish(Outgoing message) throws IOException {
    if (shared == null || !shared.isOpen()) {
      shared = open(this::neighbors);
    }
    shared.publish(message);
  }

  /** Publishes it where nothing else is in flight, and waits for what becomes of it. */
  void publishAlone(Outgoing message, Duration limit) throws IOException, InterruptedException {
    if (alone == null || !alone.isOpen()) {
      alone =
          open((signal, messages) -> messages.forEach(refused -> Refusal.answer(refused, signal)));
    }
    alone.publish(message);
    boolean hasResult = message.awaitAnswer(limit);
    if (hasResult && alone.isOpen()) {
      quarantine.acquit(message);
    } else if (isOpen()) {
      quarantine.convict(message);
    }
  }

  private ConfirmedChannel open(BiConsumer<ShutdownSignalException, List<Outgoing>> onClose)
      throws IOException {
    Channel channel = connection.createChannel();
    if (channel == null) {
      throw new IOException("RabbitMQ allows no more channels on this connection");
    }
    return new ConfirmedChannel(channel, mandatory, onClose, again);
  }

  /** One of them is to blame, and nobody knows which: none is, until it did it alone. */
  private void neighbors(ShutdownSignalException signal, List<Outgoing> messages) {
    if (Refusal.isAboutTheChannel(signal)) {
      String reason = Refusal.text(signal);
      LOG.log(
          Level.WARNING,
          () ->
              "RabbitMQ closed a channel with "
                  + messages.size()
                  + " messages in flight, which are published again: "
                  + reason);
      quarantine.suspect(reason, messages);
      messages.forEach(again);
    } else {
      OutageException outage = Refusal.outage(signal);
      messages.forEach(message -> message.fail(outage));
    }
  }

  /** Whether the broker has said nothing at all for so long, though it was asked. */
  boolean isSilentFor(Duration time) {
    long now = System.nanoTime();
    return blocked == null && isSilent(shared, now, time) && isSilent(alone, now, time);
  }

  private static boolean isSilent(ConfirmedChannel channel, long now, Duration time) {
    return channel == null || now - channel.heardNanos() > time.toNanos();
  }

  /** Ends it whatever state it is in. A thread that hangs in a write comes back. */
  void end(Throwable reason) {
    if (socket != null) {
      try {
        socket.setSoLinger(true, 0); // else closing waits for what cannot be written
        socket.close();
      } catch (IOException e) {
        LOG.log(Level.DEBUG, "the socket cannot be closed", e);
      }
    }
    connection.abort(ABORT_MILLIS);
    for (ConfirmedChannel channel : new ConfirmedChannel[] {shared, alone}) {
      if (channel != null) {
        channel.failAll(reason);
      }
    }
  }

  /** Ends it after what was said before. */
  void close(Throwable reason) {
    connection.abort(ABORT_MILLIS);
    end(reason);
  }
}
