package io.outbox.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.XAddArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.outbox.AsyncEventListener;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.UnrecoverableException;
import io.outbox.internal.publish.Answer;
import io.outbox.internal.publish.Answers;
import io.outbox.internal.publish.DeadLetterPublisher;
import io.outbox.publish.Addressed;
import io.outbox.publish.Destination;
import io.outbox.publish.MessageFormat;
import io.outbox.util.PrintableLogger;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;

/**
 * Publishes events to Redis Streams: one XADD each, with the headers and the unchanged payload as
 * fields. An event is done when Redis has answered with the entry's id. The server's settings
 * decide what that answer means: by default the entry is in the primary's memory, not on disk and
 * not on a replica. A stream need not exist. If its key has another type, or is forbidden, that is
 * an outage of this stream: its events wait, all others continue.
 *
 * <p>Many commands are in flight at the same time on one connection. It connects with the first
 * event, and again whenever the connection is lost; {@code build()} does not need the server.
 * Thread-safe.
 */
public final class RedisPublisher implements AsyncEventListener, Addressed, AutoCloseable {

  private static final String CLOUD_EVENTS_PREFIX = "ce_";

  private final Destination stream;
  private final MessageFormat format;
  private final byte[] payloadField;
  private final long maxLength;
  private final Duration timeout;
  private final Connector connector;
  private final Answers answers;
  private volatile long heardNanos = System.nanoTime();

  private RedisPublisher(Builder from) {
    this.stream = from.stream;
    this.format = from.format;
    this.payloadField = utf8(from.payloadField);
    this.maxLength = from.maxLength;
    this.timeout = from.timeout;
    this.answers = new Answers("Redis", from.timeout, PrintableLogger.of(RedisPublisher.class));
    this.connector = new Connector(from.uri, from.clientOptions, from.timeout);
  }

  public static Builder builder() {
    return new Builder();
  }

  @Override
  public CompletionStage<DispatchResult> onEvent(EventEnvelope event) {
    return publish(event, stream);
  }

  private CompletableFuture<DispatchResult> publish(EventEnvelope event, Destination to) {
    String key = key(event, to);
    Object[] fields = fields(event);
    Answer answer = answers.expect(new Answer(event.eventId()));
    connector
        .connection()
        .whenComplete(
            (connection, failure) -> {
              if (failure == null) {
                add(connection, key, fields, answer);
              } else {
                answer.fail(Answer.unwrap(failure));
              }
            });
    return answer.future();
  }

  private void add(
      StatefulRedisConnection<byte[], byte[]> connection,
      String key,
      Object[] fields,
      Answer answer) {
    long sentNanos = System.nanoTime();
    try {
      connection
          .async()
          .xadd(utf8(key), args(), fields)
          .whenComplete(
              (id, failure) -> {
                if (failure == null) {
                  heardNanos = System.nanoTime();
                  answer.done();
                } else {
                  failed(connection, sentNanos, Answer.unwrap(failure), key, answer);
                }
              });
    } catch (RuntimeException e) {
      Replies.answer(answer, e, key);
    }
  }

  private XAddArgs args() {
    XAddArgs args = new XAddArgs();
    return maxLength == 0 ? args : args.maxlen(maxLength).approximateTrimming();
  }

  private void failed(
      StatefulRedisConnection<byte[], byte[]> connection,
      long sentNanos,
      Throwable failure,
      String key,
      Answer answer) {
    boolean silent = failure instanceof RedisCommandTimeoutException && heardNanos - sentNanos < 0;
    Replies.answer(answer, failure, key);
    if (silent || Replies.isWrongServer(failure)) {
      connection.closeAsync(); // the next event opens another
    }
  }

  private static String key(EventEnvelope event, Destination to) {
    String name = to.of(event);
    if (name == null || name.isEmpty()) {
      throw new UnrecoverableException("event " + event.eventId() + " has no stream");
    }
    return name;
  }

  @Override
  public String destinationOf(EventEnvelope event) {
    return Replies.nameOf(stream.of(event));
  }

  /** Names and values in turn. */
  private Object[] fields(EventEnvelope event) {
    Map<String, String> headers = format.headers(event, CLOUD_EVENTS_PREFIX);
    headers.remove(new String(payloadField, StandardCharsets.UTF_8));
    Object[] fields = new Object[2 * headers.size() + 2];
    int at = 0;
    for (Map.Entry<String, String> header : headers.entrySet()) {
      fields[at++] = utf8(header.getKey());
      fields[at++] = utf8(header.getValue());
    }
    fields[at++] = payloadField;
    fields[at] = MessageFormat.body(event);
    return fields;
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /**
   * For {@code onDead} of an outbox: sends events that became DEAD to another stream, with the
   * reason as the field {@value DeadLetterPublisher#REASON}. It uses the connection of this
   * publisher.
   */
  public BiConsumer<EventEnvelope, String> deadLetters(Destination stream) {
    Objects.requireNonNull(stream, "stream");
    return new DeadLetterPublisher(event -> publish(event, stream), timeout);
  }

  /**
   * Waits for replies to commands in flight, at most {@link Builder#timeout}, then disconnects.
   * Commands not answered by then count as an outage, and their events are delivered again.
   */
  @Override
  public void close() {
    connector.refuse();
    answers.await();
    connector.close();
    answers.close();
  }

  /** Needs a destination and a uri. Not thread-safe. */
  public static final class Builder {

    /** See {@link #timeout}. */
    public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(10);

    private RedisURI uri;
    private ClientOptions clientOptions = ClientOptions.create();
    private Destination stream;
    private MessageFormat format = MessageFormat.plain();
    private String payloadField = "payload";
    private long maxLength;
    private Duration timeout = DEFAULT_TIMEOUT;

    private Builder() {}

    /** The server or its Sentinels, with credentials and TLS. A copy is used. */
    public Builder uri(RedisURI value) {
      this.uri = Objects.requireNonNull(value, "uri");
      return this;
    }

    /**
     * The server, as {@code redis://user:password@host:port/database}, {@code rediss://…} for TLS
     * or {@code redis-sentinel://host:port,host:port#name}.
     *
     * @throws IllegalArgumentException if the address is malformed
     */
    public Builder uri(String value) {
      Objects.requireNonNull(value, "uri");
      try {
        return uri(RedisURI.create(value));
      } catch (IllegalArgumentException e) {
        // not the cause: it repeats the address, and there may be a password in it
        throw new IllegalArgumentException("the address of Redis is malformed");
      }
    }

    /**
     * Further options of the client, for example TLS. The publisher sets the options for
     * reconnecting, queueing and timeouts.
     */
    public Builder clientOptions(ClientOptions value) {
      this.clientOptions = Objects.requireNonNull(value, "clientOptions");
      return this;
    }

    /** The stream of each event: its key. */
    public Builder destination(Destination value) {
      this.stream = Objects.requireNonNull(value, "destination");
      return this;
    }

    /** The stream as a template, for example {@code orders.{aggregateType}}. */
    public Builder destination(String template) {
      return destination(Destination.template(template));
    }

    /** Default: plain headers. The attributes of a CloudEvent have the prefix {@code ce_}. */
    public Builder format(MessageFormat value) {
      this.format = Objects.requireNonNull(value, "format");
      return this;
    }

    /** The name of the payload's field; default {@code payload}. */
    public Builder payloadField(String value) {
      Objects.requireNonNull(value, "payloadField");
      if (value.isBlank()) {
        throw new IllegalArgumentException("payloadField must not be blank");
      }
      this.payloadField = value;
      return this;
    }

    /**
     * About how many entries a stream keeps (MAXLEN ~). Redis removes older entries, read or not.
     * 0, the default, keeps all.
     */
    public Builder maxLength(long value) {
      if (value < 0) {
        throw new IllegalArgumentException("maxLength must not be negative: " + value);
      }
      this.maxLength = value;
      return this;
    }

    /**
     * How long to wait for the server to connect or to reply; default 10 s. A longer wait is an
     * outage.
     */
    public Builder timeout(Duration value) {
      Objects.requireNonNull(value, "timeout");
      if (value.toMillis() < 1) {
        throw new IllegalArgumentException("timeout must be at least 1 ms: " + value);
      }
      this.timeout = value;
      return this;
    }

    /**
     * Builds the publisher. It does not connect yet.
     *
     * @throws IllegalStateException if there is no uri or no destination
     */
    public RedisPublisher build() {
      if (uri == null) {
        throw new IllegalStateException("a Redis publisher needs a uri");
      }
      if (stream == null) {
        throw new IllegalStateException("a Redis publisher needs a destination");
      }
      return new RedisPublisher(this);
    }
  }
}
