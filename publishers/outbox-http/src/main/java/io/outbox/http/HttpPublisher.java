package io.outbox.http;

import io.outbox.AsyncEventListener;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.OutageException;
import io.outbox.internal.publish.DeadLetterPublisher;
import io.outbox.publish.Addressed;
import io.outbox.publish.Destination;
import io.outbox.publish.MessageFormat;
import io.outbox.util.DaemonThreadFactory;
import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Clock;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/**
 * Publishes each event as an HTTP POST: the destination is an address, the payload is the body,
 * everything else is in headers. An event is done when the answer is 2xx. Many requests run at the
 * same time. Redirects are never followed. Thread-safe.
 *
 * <p>These are an outage and count no attempt: no connection, no answer in time, 401, 407, 502,
 * 504, and 503 without {@code Retry-After}. An outage makes the whole publisher wait, so give each
 * host its own publisher. 408, 425, 429, and 503 with {@code Retry-After} delay the event for that
 * time. Other 4xx, including 404 and 410, make it DEAD, unless {@link Builder#outageStatuses} makes
 * them an outage of their address. Everything else is retried.
 *
 * <p>In header values, {@code %} and every character that is not printable ASCII is percent-encoded
 * as UTF-8. For CloudEvents the space and {@code "} are encoded as well, as their specification
 * says. A control character, such as CR or LF, and a name that HTTP does not allow make the event
 * DEAD.
 */
public final class HttpPublisher implements AsyncEventListener, Addressed, AutoCloseable {

  private static final int THREADS = 4;

  private final HttpClient client;
  private final ExecutorService executor; // null: the client is not ours
  private final Destination destination;
  private final Requests requests;
  private final Answers answers;
  private final Duration requestTimeout;
  private final Turns<HttpResponse<String>> turns;

  private HttpPublisher(
      HttpClient client,
      ExecutorService executor,
      Destination destination,
      Requests requests,
      Answers answers,
      Duration requestTimeout,
      Turns<HttpResponse<String>> turns) {
    this.client = client;
    this.executor = executor;
    this.destination = destination;
    this.requests = requests;
    this.answers = answers;
    this.requestTimeout = requestTimeout;
    this.turns = turns;
  }

  public static Builder builder() {
    return new Builder();
  }

  /**
   * An address as a template, with the event's values percent-encoded. Use it in your own {@link
   * Destination}, or for dead letters.
   *
   * @throws IllegalArgumentException if a name in braces is unknown, or a brace is missing
   */
  public static Destination address(String template) {
    return Destination.template(template, Percent::encodePart);
  }

  @Override
  public CompletionStage<DispatchResult> onEvent(EventEnvelope event) {
    String address = destination.of(event);
    HttpRequest request = requests.of(event, address);
    return turns
        .take(() -> sendOrTryAgain(request))
        .handle(
            (response, failure) -> {
              if (failure != null) {
                throw new OutageException(request.uri().getHost() + " does not answer", failure);
              }
              return answers.judge(response, address);
            });
  }

  /** Not the whole address, which may be a secret. */
  @Override
  public String destinationOf(EventEnvelope event) {
    return Answers.nameOf(destination.of(event));
  }

  private CompletionStage<HttpResponse<String>> sendOrTryAgain(HttpRequest request) {
    return send(request)
        .exceptionallyCompose(
            failure ->
                isBrokenConnection(failure)
                    ? send(request)
                    : CompletableFuture.failedStage(failure));
  }

  private CompletionStage<HttpResponse<String>> send(HttpRequest request) {
    CompletableFuture<HttpResponse<String>> sent =
        client.sendAsync(request, response -> new BodyStart());
    // The client's own timeout ends when the headers are there.
    return sent.copy()
        .orTimeout(requestTimeout.toMillis() + 1_000, TimeUnit.MILLISECONDS)
        .whenComplete((response, failure) -> sent.cancel(true));
  }

  /** A connection that was kept may have been closed by the other side: worth another try. */
  private static boolean isBrokenConnection(Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    return cause instanceof IOException
        && !(cause instanceof ConnectException)
        && !(cause instanceof HttpTimeoutException);
  }

  /**
   * For {@code onDead} of an outbox: posts events that became DEAD to another address, with the
   * reason as the header {@value DeadLetterPublisher#REASON}.
   */
  public BiConsumer<EventEnvelope, String> deadLetters(Destination address) {
    Objects.requireNonNull(address, "address");
    HttpPublisher letters =
        new HttpPublisher(client, null, address, requests, answers, requestTimeout, turns);
    return new DeadLetterPublisher(letters, requestTimeout.plusSeconds(2));
  }

  /** Ends the threads of the publisher's own client. Does not wait for running requests. */
  @Override
  public void close() {
    if (executor != null) {
      executor.shutdown();
    }
  }

  /** Needs a destination. Not thread-safe. */
  public static final class Builder {

    private final Map<String, String> fixedHeaders = new LinkedHashMap<>();
    private HttpClient client;
    private Destination destination;
    private MessageFormat format = MessageFormat.plain();
    private Duration connectTimeout = Duration.ofSeconds(3);
    private Duration requestTimeout = Duration.ofSeconds(10);
    private Duration maxRetryAfter = Duration.ofMinutes(5);
    private int maxRequests = 64;
    private Set<Integer> outageStatuses = Set.of();
    private Signature signature;

    private Builder() {}

    /** The address of each event: http or https, without a user in it. */
    public Builder destination(Destination value) {
      this.destination = Objects.requireNonNull(value, "destination");
      return this;
    }

    /**
     * The address as a template, for example {@code https://example.com/events/{eventType}}. The
     * event's values are percent-encoded.
     */
    public Builder destination(String template) {
      return destination(address(template));
    }

    /** Default: plain headers. The attributes of a CloudEvent have the prefix {@code ce-}. */
    public Builder format(MessageFormat value) {
      this.format = Objects.requireNonNull(value, "format");
      return this;
    }

    /** A header of every request, for example {@code Authorization}; wins over the event's own. */
    public Builder header(String name, String value) {
      Objects.requireNonNull(name, "the name of a header");
      Requests.requireHeader(name, Objects.requireNonNull(value, "the value of header " + name));
      fixedHeaders.put(name, value);
      return this;
    }

    /**
     * Adds the header {@code outbox-signature: t=SECONDS,v1=HEX}: the HMAC-SHA256 of the text
     * {@code SECONDS}, a dot and the body, keyed with the secret in UTF-8.
     */
    public Builder signWith(String secret) {
      this.signature = new Signature(secret, Clock.systemUTC());
      return this;
    }

    /** Default 3 seconds. Cannot be combined with {@link #client}. */
    public Builder connectTimeout(Duration value) {
      this.connectTimeout = positive("connectTimeout", value);
      return this;
    }

    /** How long an answer may take. Default 10 seconds. */
    public Builder requestTimeout(Duration value) {
      this.requestTimeout = positive("requestTimeout", value);
      return this;
    }

    /**
     * How many requests run at the same time; over HTTP/1.1 each has a connection. Default 64. The
     * outbox never starts more than its {@code maxInFlight}.
     */
    public Builder maxRequests(int value) {
      if (value < 1) {
        throw new IllegalArgumentException("maxRequests must be at least 1: " + value);
      }
      this.maxRequests = value;
      return this;
    }

    /** The longest delay that {@code Retry-After} can ask for. Default 5 minutes. */
    public Builder maxRetryAfter(Duration value) {
      this.maxRetryAfter = positive("maxRetryAfter", value);
      return this;
    }

    /**
     * Statuses that mean that the address does not exist yet, for example 404 and 410. They are an
     * outage of this address: its events wait, all others continue. Default: none.
     *
     * @throws IllegalArgumentException if a status is not between 400 and 599
     */
    public Builder outageStatuses(Integer... values) {
      Set<Integer> statuses = Set.of(Objects.requireNonNull(values, "outageStatuses"));
      for (int status : statuses) {
        if (status < 400 || status > 599) {
          throw new IllegalArgumentException("outageStatuses takes 400 to 599, not  " + status);
        }
      }
      this.outageStatuses = statuses;
      return this;
    }

    /** Your own client, which must not follow redirects. */
    public Builder client(HttpClient value) {
      if (Objects.requireNonNull(value, "client").followRedirects() != HttpClient.Redirect.NEVER) {
        throw new IllegalArgumentException(
            "the client follows redirects, which may send the event elsewhere: use Redirect.NEVER");
      }
      this.client = value;
      return this;
    }

    private static Duration positive(String name, Duration value) {
      if (Objects.requireNonNull(value, name).isZero() || value.isNegative()) {
        throw new IllegalArgumentException(name + " must be positive: " + value);
      }
      return value;
    }

    /**
     * Builds the publisher.
     *
     * @throws IllegalStateException if there is no destination
     */
    public HttpPublisher build() {
      if (destination == null) {
        throw new IllegalStateException("an HTTP publisher needs a destination");
      }
      ExecutorService executor = null;
      HttpClient used = client;
      if (used == null) {
        executor = Executors.newFixedThreadPool(THREADS, new DaemonThreadFactory("outbox-http-"));
        used =
            HttpClient.newBuilder()
                .executor(executor)
                .connectTimeout(connectTimeout)
                .followRedirects(HttpClient.Redirect.NEVER)
                .build();
      }
      return new HttpPublisher(
          used,
          executor,
          destination,
          new Requests(format, fixedHeaders, signature, requestTimeout),
          new Answers(maxRetryAfter, outageStatuses, Clock.systemUTC()),
          requestTimeout,
          new Turns<>(maxRequests, requestTimeout));
    }
  }
}
