package io.outbox.console;

import com.sun.net.httpserver.HttpServer;
import io.outbox.console.internal.access.Access;
import io.outbox.console.internal.access.Credentials;
import io.outbox.console.internal.access.LoginAccess;
import io.outbox.console.internal.api.Boards;
import io.outbox.console.internal.api.ConsoleApplication;
import io.outbox.console.internal.http.SameOrigin;
import io.outbox.operate.OutboxOperator;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * A web page to see and steer outboxes, on an HTTP server of its own. It listens on this machine
 * only, unless it is given another address and users or a token. Thread-safe.
 */
public final class OutboxConsole implements AutoCloseable {

  /** Where it listens if nothing else is said. */
  public static final int DEFAULT_PORT = 8085;

  /** How often a page that is open is refreshed if nothing else is said. */
  public static final Duration DEFAULT_REFRESH = Duration.ofSeconds(2);

  static final int REQUEST_THREADS = 16;

  /** How long a client may take to send a request, or to read a piece of the answer. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private static final int REQUESTS_WAITING = 256;

  private final InetSocketAddress wanted;
  private final ConsoleApplication application;
  private final Boards boards;
  private final Streams streams = new Streams();
  private final Duration patience;
  private HttpServer server; // guarded by this
  private ThreadPoolExecutor threads; // guarded by this
  private SlowClients slowClients; // guarded by this
  private boolean closed; // guarded by this

  private OutboxConsole(Builder settings) {
    wanted = new InetSocketAddress(settings.bindAddress, settings.port);
    boards = new Boards(settings.operators, settings.refresh);
    patience = settings.patience;
    application =
        new ConsoleApplication(
            boards, settings.mask, settings.access(this::cookieName), settings.sameOrigin());
  }

  public static Builder builder() {
    return new Builder();
  }

  /**
   * Begins to listen.
   *
   * @throws UncheckedIOException if the port is in use, or the address is not one of this machine
   * @throws IllegalStateException if it was started before
   */
  public synchronized OutboxConsole start() {
    if (server != null || closed) {
      throw new IllegalStateException("a console is started once");
    }
    try {
      server = HttpServer.create(wanted, 0);
    } catch (IOException e) {
      throw new UncheckedIOException(
          "the console cannot listen on " + wanted + ": " + e.getMessage(), e);
    }
    threads =
        new ThreadPoolExecutor(
            REQUEST_THREADS,
            REQUEST_THREADS,
            30,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(REQUESTS_WAITING),
            Boards.threads("outbox-console-http"));
    threads.allowCoreThreadTimeOut(true);
    slowClients = new SlowClients(patience);
    JdkAdapter adapter = new JdkAdapter(application, streams, slowClients);
    ThreadPoolExecutor pool = threads;
    server.setExecutor(task -> pool.execute(() -> adapter.run(task)));
    server.createContext("/", adapter);
    boards.start();
    server.start();
    return this;
  }

  /**
   * The address of the page.
   *
   * @throws IllegalStateException if it is not started
   */
  public synchronized URI url() {
    if (server == null) {
      throw new IllegalStateException("the console is not started: call start()");
    }
    InetAddress address = server.getAddress().getAddress();
    String host =
        address.isAnyLocalAddress() || address.isLoopbackAddress()
            ? "localhost"
            : address.getHostAddress();
    return URI.create(
        "http://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port() + "/");
  }

  private int port() {
    return server.getAddress().getPort();
  }

  private synchronized String cookieName() {
    return "outbox-console-" + port();
  }

  /** Stops listening. Bulk actions end after the batch they are at. Does nothing if repeated. */
  @Override
  public void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
    }
    application.close();
    streams.close();
    synchronized (this) {
      if (server != null) {
        server.stop(0);
        threads.shutdownNow();
        slowClients.close();
      }
    }
  }

  /** Collects settings. Not thread-safe. */
  public static final class Builder {

    private final Map<String, OutboxOperator> operators = new LinkedHashMap<>();
    private final Credentials credentials = new Credentials();
    private final Set<String> allowedHosts = new HashSet<>();
    private InetAddress bindAddress = InetAddress.getLoopbackAddress();
    private int port = DEFAULT_PORT;
    private ConsoleRole anonymous = ConsoleRole.OPERATOR;
    private PayloadMask mask = PayloadMask.NONE;
    private Duration refresh = DEFAULT_REFRESH;
    private Duration patience = PATIENCE;

    private Builder() {}

    /**
     * Adds an outbox. At least one is required.
     *
     * @param name shown, and part of addresses: letters, digits, dots, dashes and underscores
     */
    public Builder operator(String name, OutboxOperator operator) {
      Operators.add(operators, name, operator);
      return this;
    }

    /** Where it listens; 0 for any free port. Default: {@value #DEFAULT_PORT}. */
    public Builder port(int value) {
      if (value < 0 || value > 65_535) {
        throw new IllegalArgumentException("port must be from 0 to 65535, but is " + value);
      }
      port = value;
      return this;
    }

    /**
     * The address it listens on. Other than a loopback address it needs a {@link #token} or a
     * {@link #user}. Default: this machine only.
     */
    public Builder bindAddress(InetAddress value) {
      bindAddress = Objects.requireNonNull(value, "bindAddress");
      return this;
    }

    /** Lets in whoever knows this secret of at least 16 characters, once for each role. */
    public Builder token(String token, ConsoleRole role) {
      Objects.requireNonNull(role, "role");
      credentials.addToken(Objects.requireNonNull(token, "token"), role);
      return this;
    }

    /** Lets this user in. Only a hash of the password is kept. */
    public Builder user(String name, String password, ConsoleRole role) {
      ConsoleUser user = new ConsoleUser(name, role);
      credentials.addUser(user, Objects.requireNonNull(password, "password"));
      return this;
    }

    /**
     * What everybody on this machine may do while there is neither a token nor a user. Default:
     * {@link ConsoleRole#OPERATOR}.
     */
    public Builder anonymous(ConsoleRole role) {
      anonymous = Objects.requireNonNull(role, "role");
      return this;
    }

    /**
     * A name under which the console may be called, for example that of a proxy before it. Without
     * users and tokens it answers only under localhost and loopback addresses otherwise.
     */
    public Builder allowedHost(String host) {
      allowedHosts.add(SameOrigin.host(Objects.requireNonNull(host, "host")));
      return this;
    }

    /** Decides what is shown of payloads and headers. Default: everything. */
    public Builder payloadMask(PayloadMask value) {
      mask = Objects.requireNonNull(value, "payloadMask");
      return this;
    }

    /** How often an open page is refreshed, at least 200 ms. Default: 2 seconds. */
    public Builder refreshInterval(Duration value) {
      refresh = Operators.refreshInterval(value);
      return this;
    }

    /** For tests. */
    Builder patience(Duration value) {
      patience = value;
      return this;
    }

    /**
     * A console that is not listening yet.
     *
     * @throws IllegalStateException if there is no outbox, or if it would be open to everybody
     */
    public OutboxConsole build() {
      Operators.requireSome(operators);
      if (credentials.isEmpty() && !bindAddress.isLoopbackAddress()) {
        throw new IllegalStateException(
            "the console would be open to everybody who reaches "
                + bindAddress.getHostAddress()
                + ": add a token(...) or a user(...), or bind it to a loopback address");
      }
      return new OutboxConsole(this);
    }

    private Access access(Supplier<String> cookieName) {
      return credentials.isEmpty()
          ? Access.everybodyIs(
              new ConsoleUser(System.getProperty("user.name", "anonymous"), anonymous))
          : new LoginAccess(credentials, Clock.systemUTC(), cookieName);
    }

    /** With users, a name that somebody points here gets no cookie: any name will do. */
    private SameOrigin sameOrigin() {
      if (!credentials.isEmpty() && allowedHosts.isEmpty()) {
        return SameOrigin.ofAnyHost();
      }
      Set<String> hosts = new HashSet<>(allowedHosts);
      String address = bindAddress.getHostAddress();
      hosts.add(address.contains(":") ? "[" + address + "]" : address);
      return SameOrigin.ofHosts(hosts);
    }
  }
}
