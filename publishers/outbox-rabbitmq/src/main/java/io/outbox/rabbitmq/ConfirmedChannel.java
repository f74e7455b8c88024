package io.outbox.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Return;
import com.rabbitmq.client.ShutdownSignalException;
import io.outbox.DispatchResult;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * A channel with publisher confirms and what is in flight on it. One thread publishes; the client's
 * own thread brings the confirms.
 */
final class ConfirmedChannel {

  /** A nack: the broker could not, for example because a queue that refuses is full. */
  static final Duration AFTER_A_NACK = Duration.ofSeconds(1);

  private final Channel channel;
  private final boolean mandatory;
  private final BiConsumer<ShutdownSignalException, List<Outgoing>> onClose;
  private final Consumer<Outgoing> again;
  private final ConcurrentNavigableMap<Long, Outgoing> inFlight = new ConcurrentSkipListMap<>();
  private final Map<String, Outgoing> byEventId = new ConcurrentHashMap<>();
  private volatile long heardNanos = System.nanoTime();

  /**
   * Puts the channel into confirm mode.
   *
   * @param onClose told why it was closed, and what was in flight
   * @param again takes what is to be published again, on another channel
   */
  ConfirmedChannel(
      Channel channel,
      boolean mandatory,
      BiConsumer<ShutdownSignalException, List<Outgoing>> onClose,
      Consumer<Outgoing> again)
      throws IOException {
    this.channel = channel;
    this.mandatory = mandatory;
    this.onClose = onClose;
    this.again = again;
    channel.confirmSelect();
    channel.addReturnListener(this::returned);
    channel.addConfirmListener(this::acknowledged, this::refused);
    channel.addShutdownListener(this::closed);
  }

  boolean isOpen() {
    return channel.isOpen();
  }

  /** When the broker last said anything here, or had nothing to say. */
  long heardNanos() {
    return heardNanos;
  }

  /**
   * Publishes it; the answer comes later.
   *
   * @throws IOException if the connection is of no use any more
   */
  void publish(Outgoing message) throws IOException {
    if (inFlight.isEmpty()) {
      heardNanos = System.nanoTime();
    }
    long number = channel.getNextPublishSeqNo();
    message.returned(null); // as it may have been, on an earlier channel
    inFlight.put(number, message);
    byEventId.put(message.eventId(), message);
    message.whenAnswered(
        () -> {
          inFlight.remove(number, message);
          byEventId.remove(message.eventId(), message);
        });
    try {
      channel.basicPublish(
          message.exchange(),
          message.routingKey(),
          mandatory,
          message.properties(),
          message.body());
    } catch (ShutdownSignalException e) {
      closed(e); // those who were told of it did not see this one
    } catch (RuntimeException e) {
      giveUp(message, e);
    }
  }

  /** The client counted it but sent nothing: from here on, its numbers are not the broker's. */
  private void giveUp(Outgoing message, RuntimeException reason) throws IOException {
    message.answer(DispatchResult.dead("it cannot be written as a message: " + reason));
    List<Outgoing> others = takeAll();
    channel.abort();
    others.forEach(again);
  }

  private void returned(Return message) {
    heardNanos = System.nanoTime();
    AMQP.BasicProperties properties = message.getProperties();
    Outgoing outgoing = byEventId.get(properties.getMessageId());
    if (outgoing != null) {
      outgoing.returned(
          Refusal.unroutable(
              message.getReplyCode(),
              message.getReplyText(),
              message.getExchange(),
              message.getRoutingKey()));
    }
  }

  private void acknowledged(long number, boolean andAllBefore) {
    heardNanos = System.nanoTime();
    confirmed(number, andAllBefore).forEach(Outgoing::acknowledged);
  }

  private void refused(long number, boolean andAllBefore) {
    heardNanos = System.nanoTime();
    confirmed(number, andAllBefore)
        .forEach(message -> message.answer(DispatchResult.retryAfter(AFTER_A_NACK)));
  }

  private Iterable<Outgoing> confirmed(long number, boolean andAllBefore) {
    if (andAllBefore) {
      return inFlight.headMap(number, true).values();
    }
    Outgoing message = inFlight.get(number);
    return message == null ? List.of() : List.of(message);
  }

  private void closed(ShutdownSignalException signal) {
    List<Outgoing> left = takeAll();
    if (!left.isEmpty()) {
      onClose.accept(signal, left);
    }
  }

  /** What nobody else takes any more, in the order it was published. */
  private List<Outgoing> takeAll() {
    List<Outgoing> taken = new ArrayList<>();
    for (var first = inFlight.pollFirstEntry(); first != null; first = inFlight.pollFirstEntry()) {
      taken.add(first.getValue());
    }
    return taken;
  }

  void failAll(Throwable failure) {
    takeAll().forEach(message -> message.fail(failure));
  }
}
