package io.outbox.relay.broker;

import io.outbox.AsyncEventListener;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.OutageException;
import io.outbox.kafka.KafkaPublisher;
import io.outbox.publish.Addressed;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigException;

/**
 * A publisher whose producer cannot be made yet: Kafka's client insists on finding the addresses of
 * its servers, and those may not have a name before they run. It is tried again with each event.
 * Thread-safe.
 */
final class ReopeningKafka implements AsyncEventListener, Addressed {

  private final Supplier<KafkaPublisher> builder;
  private final Function<KafkaPublisher, BiConsumer<EventEnvelope, String>> deadLetters;
  private KafkaPublisher publisher; // null until it could be made
  private boolean closed;

  private ReopeningKafka(
      Supplier<KafkaPublisher> builder,
      Function<KafkaPublisher, BiConsumer<EventEnvelope, String>> deadLetters) {
    this.builder = builder;
    this.deadLetters = deadLetters;
  }

  /**
   * Opens it now if its servers have addresses, later if not.
   *
   * @throws RuntimeException if anything else is wrong with its settings
   */
  static OpenBroker open(
      Supplier<KafkaPublisher> builder,
      Function<KafkaPublisher, BiConsumer<EventEnvelope, String>> deadLetters) {
    try {
      KafkaPublisher publisher = builder.get();
      return new OpenBroker(publisher, deadLetters.apply(publisher), publisher::close);
    } catch (KafkaException e) {
      if (!isWithoutAddress(e)) {
        throw e;
      }
      ReopeningKafka later = new ReopeningKafka(builder, deadLetters);
      return new OpenBroker(later, later::dead, later::close);
    }
  }

  private static boolean isWithoutAddress(Throwable e) {
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof ConfigException
          && cause.getMessage() != null
          && cause.getMessage().contains("No resolvable bootstrap urls")) {
        return true;
      }
    }
    return false;
  }

  @Override
  public CompletionStage<DispatchResult> onEvent(EventEnvelope event) throws Exception {
    return publisher().onEvent(event);
  }

  @Override
  public synchronized String destinationOf(EventEnvelope event) {
    return publisher == null ? null : publisher.destinationOf(event);
  }

  private void dead(EventEnvelope event, String reason) {
    BiConsumer<EventEnvelope, String> letters = deadLetters.apply(publisher());
    if (letters != null) {
      letters.accept(event, reason);
    }
  }

  private synchronized KafkaPublisher publisher() {
    if (closed) {
      throw new OutageException("the publisher is closed");
    }
    if (publisher == null) {
      try {
        publisher = builder.get();
      } catch (KafkaException e) {
        throw new OutageException("Kafka's client cannot be made: " + e.getMessage(), e);
      }
    }
    return publisher;
  }

  private synchronized void close() {
    closed = true;
    if (publisher != null) {
      publisher.close();
    }
  }
}
