package io.outbox.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Address;
import com.rabbitmq.client.ConnectionFactory;
import io.outbox.AsyncEventListener;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.UnrecoverableException;
import io.outbox.internal.publish.DeadLetterPublisher;
import io.outbox.publish.Addressed;
import io.outbox.publish.Destination;
import io.outbox.publish.MessageFormat;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import javax.net.ssl.SSLContext;

/**
 * Publishes events to RabbitMQ. An event is done when the broker has confirmed its message (for a
 * persistent message in a durable queue: written to disk or held by a majority of a quorum queue)
 * and did not return it as unroutable. Many messages are in flight at the same time on one channel.
 *
 * <p>An exchange or a queue that does not exist is an outage of that destination: its events wait,
 * all others continue. An event that an exchange routes to no queue is retried.
 *
 * <p>It connects with the first event, and again whenever the connection or its channel is lost;
 * {@code build()} does not need the broker. Thread-safe.
 */
public final class RabbitMqPublisher implements AsyncEventListener, Addressed, AutoCloseable {

  private static final String CLOUD_EVENTS_PREFIX = "cloudEvents_";
  private static final int PERSISTENT = 2;
  private static final int MAX_SHORT_STRING = 255; // bytes, by the protocol

  private final Destination exchange;
  private final Destination routingKey;
  private final MessageFormat format;
  private final boolean unroutableIsDead;
  private final Duration confirmTimeout;
  private final Sender sender;

  private RabbitMqPublisher(Builder from) {
    this.exchange = from.exchange;
    this.routingKey = from.routingKey;
    this.format = from.format;
    this.unroutableIsDead = from.unroutableIsDead;
    this.confirmTimeout = from.confirmTimeout;
    Quarantine quarantine = new Quarantine();
    Connector connector =
        new Connector(
            from.connectionFactory,
            from.addresses,
            from.connectionName,
            from.confirmTimeout,
            from.mandatory,
            quarantine);
    this.sender = new Sender(connector, quarantine, from.confirmTimeout);
  }

  public static Builder builder() {
    return new Builder();
  }

  @Override
  public CompletionStage<DispatchResult> onEvent(EventEnvelope event) {
    return sender.send(message(event, exchange));
  }

  @Override
  public String destinationOf(EventEnvelope event) {
    return Outgoing.destination(exchange.of(event), routingKey.of(event));
  }

  /**
   * For {@code onDead} of an outbox: sends events that became DEAD to another exchange, with the
   * same routing key and the reason as the header {@value DeadLetterPublisher#REASON}. It uses the
   * connection of this publisher.
   */
  public BiConsumer<EventEnvelope, String> deadLetters(Destination exchange) {
    Objects.requireNonNull(exchange, "exchange");
    return new DeadLetterPublisher(event -> sender.send(message(event, exchange)), confirmTimeout);
  }

  private Outgoing message(EventEnvelope event, Destination to) {
    Map<String, Object> headers = new HashMap<>(format.headers(event, CLOUD_EVENTS_PREFIX));
    if (optional(event.contentType()) != null) {
      headers.remove(MessageFormat.CONTENT_TYPE); // it has a separate property
    }
    headers.keySet().forEach(name -> required("name of a header", name, event));
    AMQP.BasicProperties properties =
        new AMQP.BasicProperties.Builder()
            .messageId(event.eventId())
            .type(optional(event.eventType()))
            .contentType(optional(event.contentType()))
            .timestamp(Date.from(event.occurredAt()))
            .deliveryMode(PERSISTENT)
            .headers(headers)
            .build();
    return new Outgoing(
        event.eventId(),
        required("exchange", to.of(event), event),
        required("routing key", routingKey.of(event), event),
        properties,
        MessageFormat.body(event),
        unroutableIsDead);
  }

  /** What the protocol calls a short string. */
  private static String required(String what, String value, EventEnvelope event) {
    if (value == null) {
      throw new UnrecoverableException("event " + event.eventId() + " has no " + what);
    }
    if (!isShort(value)) {
      throw new UnrecoverableException(
          "event "
              + event.eventId()
              + " has a "
              + what
              + " of more than "
              + MAX_SHORT_STRING
              + " bytes: "
              + value);
    }
    return value;
  }

  private static String optional(String value) {
    return value == null || !isShort(value) ? null : value;
  }

  private static boolean isShort(String value) {
    return value.getBytes(StandardCharsets.UTF_8).length <= MAX_SHORT_STRING;
  }

  /**
   * Waits for confirms of messages in flight, at most {@link Builder#confirmTimeout}, then
   * disconnects. Messages not confirmed by then count as an outage, and their events are delivered
   * again.
   */
  @Override
  public void close() {
    sender.close();
  }

  /** Needs a destination, and a way to connect. Not thread-safe. */
  public static final class Builder {

    /** See {@link #confirmTimeout}. */
    public static final Duration DEFAULT_CONFIRM_TIMEOUT = Duration.ofSeconds(10);

    private ConnectionFactory connectionFactory;
    private List<Address> addresses;
    private String connectionName = "outbox";
    private Destination exchange;
    private Destination routingKey = EventEnvelope::eventType;
    private MessageFormat format = MessageFormat.plain();
    private boolean mandatory = true;
    private boolean unroutableIsDead;
    private Duration confirmTimeout = DEFAULT_CONFIRM_TIMEOUT;

    private Builder() {}

    /**
     * How to connect: host, credentials, TLS. A copy is used, with the client's automatic recovery
     * turned off and its timeouts not above the {@link #confirmTimeout}.
     */
    public Builder connectionFactory(ConnectionFactory value) {
      this.connectionFactory = Objects.requireNonNull(value, "connectionFactory").clone();
      return this;
    }

    /**
     * How to connect, as {@code amqp://user:password@host:port/vhost}, or {@code amqps://…} for
     * TLS: checks the host name, and the certificate against the JVM's trust store.
     *
     * @throws IllegalArgumentException if the address is malformed
     */
    public Builder uri(String value) {
      Objects.requireNonNull(value, "uri");
      ConnectionFactory factory = new ConnectionFactory();
      try {
        URI uri = URI.create(value);
        if ("amqps".equalsIgnoreCase(uri.getScheme())) {
          // before the address: the client itself would trust any server
          factory.useSslProtocol(SSLContext.getDefault());
          factory.enableHostnameVerification();
        }
        factory.setUri(uri);
      } catch (Exception e) {
        // not the cause: it repeats the address, and there may be a password in it
        throw new IllegalArgumentException("the address of RabbitMQ is malformed");
      }
      return connectionFactory(factory);
    }

    /** The nodes of a cluster, as {@code host:port,host:port}: the first that answers is used. */
    public Builder addresses(String value) {
      this.addresses = List.of(Address.parseAddresses(Objects.requireNonNull(value, "addresses")));
      return this;
    }

    /** Shown by the broker's tools; default {@code outbox}. */
    public Builder connectionName(String value) {
      this.connectionName = Objects.requireNonNull(value, "connectionName");
      return this;
    }

    /** The exchange of each event. Events whose exchange does not exist wait until it does. */
    public Builder destination(Destination value) {
      this.exchange = Objects.requireNonNull(value, "destination");
      return this;
    }

    /** The exchange as a template, for example {@code orders.{aggregateType}}. */
    public Builder destination(String template) {
      return destination(Destination.template(template));
    }

    /** The routing key of each event; default: its type. */
    public Builder routingKey(Destination value) {
      this.routingKey = Objects.requireNonNull(value, "routingKey");
      return this;
    }

    /** The routing key as a template, for example {@code {aggregateType}.{eventType}}. */
    public Builder routingKey(String template) {
      return routingKey(Destination.template(template));
    }

    /**
     * Sends straight to a queue, through the default exchange. Events whose queue does not exist
     * wait until it does.
     */
    public Builder queue(Destination value) {
      Objects.requireNonNull(value, "queue");
      return destination(event -> "").routingKey(value);
    }

    /**
     * Default: plain headers. The attributes of a CloudEvent have the prefix {@code cloudEvents_}.
     */
    public Builder format(MessageFormat value) {
      this.format = Objects.requireNonNull(value, "format");
      return this;
    }

    /**
     * Whether an event is done only if a queue accepts it (the default); otherwise it is retried,
     * see {@link #unroutableIsDead}. With false, an event that no queue accepts is done and lost.
     */
    public Builder mandatory(boolean value) {
      this.mandatory = value;
      return this;
    }

    /**
     * Whether an event that no queue accepts is DEAD at once. Default false: it is retried with
     * growing delays, because a binding may be missing.
     */
    public Builder unroutableIsDead(boolean value) {
      this.unroutableIsDead = value;
      return this;
    }

    /**
     * How long to wait for the broker to connect or to confirm; default 10 s. A longer wait is an
     * outage.
     */
    public Builder confirmTimeout(Duration value) {
      Objects.requireNonNull(value, "confirmTimeout");
      if (value.toMillis() < 1) {
        throw new IllegalArgumentException("confirmTimeout must be at least 1 ms: " + value);
      }
      this.confirmTimeout = value;
      return this;
    }

    /**
     * Builds the publisher. It does not connect yet.
     *
     * @throws IllegalStateException if there is no connection factory or no destination
     */
    public RabbitMqPublisher build() {
      if (connectionFactory == null) {
        throw new IllegalStateException("a RabbitMQ publisher needs a connectionFactory or a uri");
      }
      if (exchange == null) {
        throw new IllegalStateException("a RabbitMQ publisher needs a destination or a queue");
      }
      RabbitMqPublisher publisher = new RabbitMqPublisher(this);
      publisher.sender.start();
      return publisher;
    }
  }
}
