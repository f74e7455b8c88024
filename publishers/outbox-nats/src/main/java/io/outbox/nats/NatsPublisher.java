package io.outbox.nats;

import io.nats.client.Connection;
import io.nats.client.JetStream;
import io.nats.client.JetStreamOptions;
import io.nats.client.Options;
import io.nats.client.impl.Headers;
import io.outbox.AsyncEventListener;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.internal.publish.Answer;
import io.outbox.internal.publish.Answers;
import io.outbox.internal.publish.DeadLetterPublisher;
import io.outbox.publish.Addressed;
import io.outbox.publish.Destination;
import io.outbox.publish.MessageFormat;
import io.outbox.util.PrintableLogger;
import java.io.IOException;
import java.lang.System.Logger;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;

/**
 * Publishes events to NATS JetStream. An event is done when its stream has acknowledged it: stored,
 * on a majority of the stream's replicas. The message id is the event id, so a stream drops
 * duplicates within its duplicate window.
 *
 * <p>With {@link Builder#coreNats()} there is no stream: an event is done when a server has read
 * it, even if no consumer received it.
 *
 * <p>Many messages are in flight at the same time on one connection. It connects with the first
 * event, and reconnects by itself; {@code build()} does not need the server. Thread-safe.
 */
public final class NatsPublisher implements AsyncEventListener, Addressed, AutoCloseable {

  /**
   * The header that names the percent-encoded headers, separated by commas. NATS cannot carry
   * values with non-ASCII characters, line breaks, or leading or trailing spaces.
   */
  public static final String ENCODED_HEADERS = HeaderText.ENCODED;

  private static final Logger LOG = PrintableLogger.of(NatsPublisher.class);
  private static final String MESSAGE_ID = "Nats-Msg-Id";

  private final Destination subject;
  private final MessageFormat format;
  private final JetStreamOptions jetStreamOptions;
  private final Duration ackTimeout;
  private final Answers answers;
  private final Connector connector;
  private final StreamLookup lookup;
  private final Flusher flusher; // null: JetStream
  private volatile Streams streams; // null: not connected so far

  private record Streams(Connection connection, JetStream jetStream) {}

  private NatsPublisher(Builder from) {
    this.subject = from.subject;
    this.format = from.format;
    this.jetStreamOptions = from.jetStreamOptions;
    this.ackTimeout = from.ackTimeout;
    this.answers = new Answers("NATS", from.ackTimeout, LOG);
    this.connector = new Connector(from.options, from.ackTimeout, answers::failAll);
    this.lookup = new StreamLookup(from.jetStreamOptions);
    this.flusher = from.core ? new Flusher() : null;
  }

  private void start() {
    answers.startTimeouts("outbox-nats-timeouts-", () -> {});
    if (flusher != null) {
      flusher.start();
    }
  }

  public static Builder builder() {
    return new Builder();
  }

  @Override
  public CompletionStage<DispatchResult> onEvent(EventEnvelope event) {
    return publish(event, subject, event.eventId());
  }

  private CompletableFuture<DispatchResult> publish(
      EventEnvelope event, Destination to, String messageId) {
    String name = Subjects.of(event, to);
    Map<String, String> values = format.headers(event, HeaderText.CLOUD_EVENTS_PREFIX);
    values.put(MESSAGE_ID, messageId);
    Headers headers = HeaderText.of(values, format.isCloudEvents());
    byte[] body = MessageFormat.body(event);
    Answer answer = answers.expect(new Answer(event.eventId()));
    connector
        .connection()
        .whenComplete(
            (connection, failure) -> {
              if (failure != null) {
                Failures.answer(answer, Answer.unwrap(failure));
              } else {
                publish(connection, name, headers, body, answer);
              }
            });
    return answer.future();
  }

  private void publish(
      Connection connection, String name, Headers headers, byte[] body, Answer answer) {
    try {
      if (flusher == null) {
        publishToStream(connection, name, headers, body, answer);
      } else if (flusher.isFull()) {
        answer.full();
      } else {
        String id = Connector.id(connection);
        connection.publish(name, headers, body);
        flusher.published(connection, id, answer);
      }
    } catch (IOException | RuntimeException e) {
      Failures.answer(answer, Answer.unwrap(e));
    }
  }

  private void publishToStream(
      Connection connection, String name, Headers headers, byte[] body, Answer answer)
      throws IOException {
    streams(connection)
        .publishAsync(name, headers, body)
        .whenComplete(
            (acknowledgement, failure) -> {
              Throwable reason = failure == null ? null : Answer.unwrap(failure);
              if (reason == null) {
                answer.done();
              } else if (Failures.isNoResponders(reason)) {
                lookup.answer(answer, connection, name);
              } else {
                Failures.answer(answer, reason);
              }
            });
  }

  @Override
  public String destinationOf(EventEnvelope event) {
    return Subjects.nameOf(subject.of(event));
  }

  private JetStream streams(Connection connection) throws IOException {
    Streams known = streams;
    if (known == null || known.connection() != connection) {
      known = new Streams(connection, connection.jetStream(jetStreamOptions));
      streams = known;
    }
    return known.jetStream();
  }

  /**
   * For {@code onDead} of an outbox: sends events that became DEAD to another subject, with the
   * reason as the header {@value DeadLetterPublisher#REASON}. It uses the connection of this
   * publisher.
   */
  public BiConsumer<EventEnvelope, String> deadLetters(Destination subject) {
    Objects.requireNonNull(subject, "subject");
    // A separate id: the event itself may be in the same stream already.
    return new DeadLetterPublisher(
        event -> publish(event, subject, "dead-" + event.eventId()), ackTimeout);
  }

  /**
   * Waits for acknowledgements of messages in flight, at most {@link Builder#ackTimeout}, then
   * disconnects. Messages not acknowledged by then count as an outage, and their events are
   * delivered again.
   */
  @Override
  public void close() {
    connector.refuse();
    answers.await();
    answers.close();
    lookup.close();
    if (flusher != null) {
      flusher.close();
    }
    connector.close();
  }

  /** Needs a destination, and a way to connect. Not thread-safe. */
  public static final class Builder {

    /** See {@link #ackTimeout}. */
    public static final Duration DEFAULT_ACK_TIMEOUT = Duration.ofSeconds(10);

    private static final Duration PING_INTERVAL = Duration.ofSeconds(5);

    private Options options;
    private JetStreamOptions jetStreamOptions = JetStreamOptions.defaultOptions();
    private Destination subject;
    private MessageFormat format = MessageFormat.plain();
    private boolean core;
    private Duration ackTimeout = DEFAULT_ACK_TIMEOUT;

    private Builder() {}

    /**
     * How to connect: servers, credentials, TLS. The publisher uses a copy that reconnects forever,
     * buffers nothing meanwhile, and does not wait for a full queue. The ping interval decides how
     * soon a dead connection is noticed; its default is two minutes.
     *
     * @throws IllegalArgumentException if the options discard messages when the client's queue is
     *     full
     */
    public Builder options(Options value) {
      Objects.requireNonNull(value, "options");
      if (value.isDiscardMessagesWhenOutgoingQueueFull()) {
        throw new IllegalArgumentException(
            "options must not discard messages: these would count as sent");
      }
      this.options = value;
      return this;
    }

    /** Servers of one cluster, as {@code nats://host:port}; pinged every five seconds. */
    public Builder server(String... urls) {
      Objects.requireNonNull(urls, "server");
      return options(
          Options.builder()
              .servers(urls)
              .connectionName("outbox")
              .pingInterval(PING_INTERVAL)
              .build());
    }

    /** The domain or prefix under which to ask JetStream for its streams. */
    public Builder jetStreamOptions(JetStreamOptions value) {
      this.jetStreamOptions = Objects.requireNonNull(value, "jetStreamOptions");
      return this;
    }

    /** The subject of each event. Events whose subject no stream accepts wait until one does. */
    public Builder destination(Destination value) {
      this.subject = Objects.requireNonNull(value, "destination");
      return this;
    }

    /** The subject as a template, for example {@code orders.{aggregateType}}. */
    public Builder destination(String template) {
      return destination(Destination.template(template));
    }

    /** Default: plain headers. The attributes of a CloudEvent have the prefix {@code ce-}. */
    public Builder format(MessageFormat value) {
      this.format = Objects.requireNonNull(value, "format");
      return this;
    }

    /**
     * Publishes without JetStream. An event is done when the server has answered a ping sent after
     * it, so the server has read it. Nothing more is guaranteed: without a subscription at that
     * moment the event is lost, a dying server may lose it, duplicates are not dropped, and a
     * forbidden publication counts as done.
     */
    public Builder coreNats() {
      this.core = true;
      return this;
    }

    /** How long to wait for an acknowledgement; default 10 s. A longer wait is an outage. */
    public Builder ackTimeout(Duration value) {
      Objects.requireNonNull(value, "ackTimeout");
      if (value.toMillis() < 1) {
        throw new IllegalArgumentException("ackTimeout must be at least 1 ms: " + value);
      }
      this.ackTimeout = value;
      return this;
    }

    /**
     * Builds the publisher. It does not connect yet.
     *
     * @throws IllegalStateException if there is no server or no destination
     */
    public NatsPublisher build() {
      if (options == null) {
        throw new IllegalStateException("a NATS publisher needs a server or options");
      }
      if (subject == null) {
        throw new IllegalStateException("a NATS publisher needs a destination");
      }
      NatsPublisher publisher = new NatsPublisher(this);
      publisher.start();
      return publisher;
    }
  }
}
