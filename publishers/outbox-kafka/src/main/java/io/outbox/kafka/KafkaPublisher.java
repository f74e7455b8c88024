package io.outbox.kafka;

import io.outbox.AsyncEventListener;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.internal.publish.DeadLetterPublisher;
import io.outbox.publish.Addressed;
import io.outbox.publish.Destination;
import io.outbox.publish.MessageFormat;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Publishes events to Kafka: the destination is a topic, the record's key is the event's message
 * key, its value the payload. An event is done when all in-sync replicas have acknowledged it. Many
 * records are in flight at the same time. Thread-safe.
 *
 * <p>A broker that cannot be reached is an outage, and counts no attempt. A rejected event, for
 * example a large one, is DEAD at once. A missing topic, or one that this client may not write to,
 * is an outage of that topic: its events wait, all others continue. Everything else is retried.
 */
public final class KafkaPublisher implements AsyncEventListener, Addressed, AutoCloseable {

  private static final String CLOUD_EVENTS_PREFIX = "ce_";

  /** More than a producer takes by Kafka's own defaults. */
  private static final Duration BOUND_OF_A_GIVEN_PRODUCER = Duration.ofMinutes(5);

  private static final Duration LETTER_BOUND = Duration.ofSeconds(15);

  private final CurrentProducer producer;
  private final Destination destination;
  private final MessageFormat format;
  private final Duration answerBound;

  KafkaPublisher(
      CurrentProducer producer,
      Destination destination,
      MessageFormat format,
      Duration answerBound) {
    this.producer = producer;
    this.destination = destination;
    this.format = format;
    this.answerBound = answerBound;
  }

  public static Builder builder() {
    return new Builder();
  }

  @Override
  public CompletionStage<DispatchResult> onEvent(EventEnvelope event) {
    ProducerRecord<byte[], byte[]> message = message(event);
    Producer<byte[], byte[]> current = producer.get();
    return send(current, message)
        // Kafka's client has its own bounds, which hold while its thread lives.
        .orTimeout(answerBound.toMillis(), TimeUnit.MILLISECONDS)
        .handle(
            (metadata, failure) -> {
              if (failure == null) {
                return DispatchResult.done();
              }
              if (Failures.endsProducer(failure)) {
                producer.isOver(current);
              }
              return Failures.judge(failure, message.topic());
            });
  }

  @Override
  public String destinationOf(EventEnvelope event) {
    return Failures.nameOf(destination.of(event));
  }

  private static CompletableFuture<RecordMetadata> send(
      Producer<byte[], byte[]> producer, ProducerRecord<byte[], byte[]> message) {
    CompletableFuture<RecordMetadata> sent = new CompletableFuture<>();
    try {
      producer.send(
          message,
          (metadata, failure) -> {
            if (failure == null) {
              sent.complete(metadata);
            } else {
              sent.completeExceptionally(failure);
            }
          });
    } catch (RuntimeException e) {
      sent.completeExceptionally(e);
    }
    return sent;
  }

  private ProducerRecord<byte[], byte[]> message(EventEnvelope event) {
    String key = event.partitionKeyOrDefault();
    ProducerRecord<byte[], byte[]> message =
        new ProducerRecord<>(
            destination.of(event),
            key == null ? null : key.getBytes(StandardCharsets.UTF_8),
            MessageFormat.body(event));
    format
        .headers(event, CLOUD_EVENTS_PREFIX)
        .forEach(
            (name, value) -> message.headers().add(name, value.getBytes(StandardCharsets.UTF_8)));
    return message;
  }

  /**
   * For {@code onDead} of an outbox: sends events that became DEAD to another topic, with the
   * reason as the header {@value DeadLetterPublisher#REASON}. It uses the producer of this
   * publisher.
   */
  public BiConsumer<EventEnvelope, String> deadLetters(Destination topic) {
    Objects.requireNonNull(topic, "topic");
    Duration patience = answerBound.compareTo(LETTER_BOUND) < 0 ? answerBound : LETTER_BOUND;
    return new DeadLetterPublisher(
        new KafkaPublisher(producer, topic, format, answerBound), patience);
  }

  /**
   * Closes the producer, unless it was passed to the builder. Waits at most 5 seconds for records
   * in flight.
   */
  @Override
  public void close() {
    producer.close();
  }

  /** Needs a destination, and either a producer or the bootstrap servers. Not thread-safe. */
  public static final class Builder {

    private final ProducerSettings settings = new ProducerSettings();
    private Producer<byte[], byte[]> producer;
    private Destination destination;
    private MessageFormat format = MessageFormat.plain();

    private Builder() {}

    /** The topic of each event. Events whose topic does not exist wait until it does. */
    public Builder destination(Destination value) {
      this.destination = Objects.requireNonNull(value, "destination");
      return this;
    }

    /** The topic as a template, for example {@code orders.{aggregateType}}. */
    public Builder destination(String template) {
      return destination(Destination.template(template));
    }

    /** Default: plain headers. The attributes of a CloudEvent have the prefix {@code ce_}. */
    public Builder format(MessageFormat value) {
      this.format = Objects.requireNonNull(value, "format");
      return this;
    }

    /** {@code bootstrap.servers} of the publisher's own producer. */
    public Builder bootstrapServers(String value) {
      settings.bootstrapServers(value);
      return this;
    }

    /**
     * Any setting of the publisher's own producer, by Kafka's name. Serializers are always for
     * bytes. {@code acks=all} and {@code enable.idempotence=true} are set, and {@link #build()}
     * refuses other values.
     */
    public Builder producerConfig(Map<String, ?> values) {
      settings.putAll(values);
      return this;
    }

    /**
     * {@code max.block.ms}: how long a worker of the outbox waits while the topic is not known yet
     * or the producer's buffer is full. Default 2 seconds.
     */
    public Builder maxBlock(Duration value) {
      settings.maxBlock(value);
      return this;
    }

    /**
     * {@code delivery.timeout.ms}: how long Kafka's client tries to deliver before the publisher
     * reports an outage. Default 10 seconds.
     */
    public Builder deliveryTimeout(Duration value) {
      settings.deliveryTimeout(value);
      return this;
    }

    /**
     * Your own producer, which the publisher does not close. Give it {@code acks=all}, {@code
     * enable.idempotence=true} and short timeouts; the publisher cannot check them.
     */
    public Builder producer(Producer<byte[], byte[]> value) {
      this.producer = Objects.requireNonNull(value, "producer");
      return this;
    }

    /**
     * Builds the publisher and its producer.
     *
     * @throws IllegalStateException if there is no destination, no server, or both a producer and
     *     settings for one
     * @throws IllegalArgumentException if a setting contradicts the guarantees
     */
    public KafkaPublisher build() {
      if (destination == null) {
        throw new IllegalStateException("a Kafka publisher needs a destination");
      }
      if (producer != null && !settings.isEmpty()) {
        throw new IllegalStateException(
            "set a producer, or settings for one: " + settings.names() + ", not both");
      }
      if (producer != null) {
        return new KafkaPublisher(
            CurrentProducer.given(producer), destination, format, BOUND_OF_A_GIVEN_PRODUCER);
      }
      Map<String, Object> config = settings.config();
      ByteArraySerializer serializer = new ByteArraySerializer();
      return new KafkaPublisher(
          CurrentProducer.own(() -> new KafkaProducer<>(config, serializer, serializer)),
          destination,
          format,
          settings.answerBound());
    }
  }
}
