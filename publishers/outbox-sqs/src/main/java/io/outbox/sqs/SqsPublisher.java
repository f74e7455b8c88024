package io.outbox.sqs;

import io.outbox.AsyncEventListener;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.internal.publish.DeadLetterPublisher;
import io.outbox.publish.Addressed;
import io.outbox.publish.Destination;
import io.outbox.publish.MessageFormat;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.sqs.SqsAsyncClient;
import software.amazon.awssdk.services.sqs.SqsAsyncClientBuilder;

/**
 * Publishes events to SQS: the destination is the name or URL of a queue, the payload is the body,
 * everything else is in attributes. An event is done when SQS has stored it. Events that arrive
 * during a request are sent together, up to ten in the next one. Thread-safe.
 *
 * <p>JSON is sent unchanged. Bytes are sent as Base64, with the attribute {@code outbox-encoding:
 * base64}. A body must not be empty, so an empty payload is the body {@code -} with {@code
 * outbox-encoding: empty}.
 *
 * <p>A message has at most ten attributes, and SQS restricts their names and values. If the event's
 * own headers do not fit, all of them go into one attribute {@code outbox-headers} as a JSON
 * object, and so do surplus attributes of the outbox. Characters that SQS does not allow in a body
 * make the event DEAD.
 *
 * <p>A queue that does not exist, or that these credentials may not write to, is an outage of that
 * queue: its events wait, all others continue.
 *
 * <p>If the name of the queue ends with {@code .fifo}, the event id is the deduplication id, and
 * the message key is the group (the event id, if there is no key). A key that SQS does not allow as
 * a group is replaced by its SHA-256 in hexadecimal digits.
 */
public final class SqsPublisher implements AsyncEventListener, Addressed, AutoCloseable {

  /** Far more than anybody has, to bound what a destination of the events' own can pile up. */
  private static final int MAX_QUEUES = 10_000;

  private final SqsAsyncClient client;
  private final boolean ownsClient;
  private final Destination destination;
  private final Messages messages;
  private final Duration timeout;
  private final Map<String, QueueBatches> queues = new ConcurrentHashMap<>();

  private SqsPublisher(
      SqsAsyncClient client,
      boolean ownsClient,
      Destination destination,
      Messages messages,
      Duration timeout) {
    this.client = client;
    this.ownsClient = ownsClient;
    this.destination = destination;
    this.messages = messages;
    this.timeout = timeout;
  }

  public static Builder builder() {
    return new Builder();
  }

  @Override
  public CompletionStage<DispatchResult> onEvent(EventEnvelope event) {
    String queue = destination.of(event);
    Message message = messages.of(event, queue.endsWith(".fifo"));
    if (queues.size() > MAX_QUEUES) {
      queues.values().removeIf(QueueBatches::isIdle);
    }
    QueueBatches batches =
        queues.computeIfAbsent(queue, name -> new QueueBatches(client, name, timeout));
    CompletableFuture<DispatchResult> answer = new CompletableFuture<>();
    batches.add(message, answer);
    return answer;
  }

  @Override
  public String destinationOf(EventEnvelope event) {
    return Failures.nameOf(destination.of(event));
  }

  /**
   * For {@code onDead} of an outbox: sends events that became DEAD to another queue, with the
   * reason as the header {@value DeadLetterPublisher#REASON}.
   */
  public BiConsumer<EventEnvelope, String> deadLetters(Destination queue) {
    Objects.requireNonNull(queue, "queue");
    return new DeadLetterPublisher(
        new SqsPublisher(client, false, queue, messages, timeout), timeout.multipliedBy(2));
  }

  /** Closes the client, unless it was passed to the builder. */
  @Override
  public void close() {
    if (ownsClient) {
      client.close();
    }
  }

  /** Needs a destination. Not thread-safe. */
  public static final class Builder {

    private SqsAsyncClient client;
    private String region;
    private URI endpoint;
    private Destination destination;
    private MessageFormat format = MessageFormat.plain();
    private Duration timeout = Duration.ofSeconds(10);

    private Builder() {}

    /** The queue of each event, by its name or its URL. */
    public Builder destination(Destination value) {
      this.destination = Objects.requireNonNull(value, "destination");
      return this;
    }

    /** The queue as a template, for example {@code orders-{aggregateType}.fifo}. */
    public Builder destination(String template) {
      return destination(Destination.template(template));
    }

    /** Default: plain headers. The attributes of a CloudEvent have the prefix {@code ce-}. */
    public Builder format(MessageFormat value) {
      this.format = Objects.requireNonNull(value, "format");
      return this;
    }

    /** The region of the publisher's own client. Default: the AWS SDK's choice. */
    public Builder region(String value) {
      this.region = Objects.requireNonNull(value, "region");
      return this;
    }

    /** The endpoint of the publisher's own client. Default: the region's endpoint. */
    public Builder endpoint(URI value) {
      this.endpoint = Objects.requireNonNull(value, "endpoint");
      return this;
    }

    /** How long one request may take, the SDK's own retries included. Default 10 seconds. */
    public Builder timeout(Duration value) {
      if (Objects.requireNonNull(value, "timeout").isZero() || value.isNegative()) {
        throw new IllegalArgumentException("timeout must be positive: " + value);
      }
      this.timeout = value;
      return this;
    }

    /** Your own client, which the publisher does not close. */
    public Builder client(SqsAsyncClient value) {
      this.client = Objects.requireNonNull(value, "client");
      return this;
    }

    /**
     * Builds the publisher, and a client if none was passed.
     *
     * @throws IllegalStateException if there is no destination, or both a client and a setting for
     *     one
     */
    public SqsPublisher build() {
      if (destination == null) {
        throw new IllegalStateException("an SQS publisher needs a destination");
      }
      if (client != null && (region != null || endpoint != null)) {
        throw new IllegalStateException("set a client, or its region and endpoint, not both");
      }
      return new SqsPublisher(
          client == null ? newClient() : client,
          client == null,
          destination,
          new Messages(format),
          timeout);
    }

    private SqsAsyncClient newClient() {
      SqsAsyncClientBuilder builder = SqsAsyncClient.builder();
      if (region != null) {
        builder.region(Region.of(region));
      }
      if (endpoint != null) {
        builder.endpointOverride(endpoint);
      }
      return builder.build();
    }
  }
}
