package io.outbox.console;

import io.outbox.console.internal.access.Access;
import io.outbox.console.internal.access.Anonymous;
import io.outbox.console.internal.access.Credentials;
import io.outbox.console.internal.access.LoginAccess;
import io.outbox.console.internal.access.Networks;
import io.outbox.console.internal.access.Proxies;
import io.outbox.console.internal.access.ProxyUsers;
import io.outbox.console.internal.api.ConsoleApplication;
import io.outbox.console.internal.api.ConsoleOutboxes;
import io.outbox.console.internal.api.Environment;
import io.outbox.console.internal.http.SameOrigin;
import io.outbox.console.internal.server.NonBlockingServer;
import io.outbox.console.internal.server.Streams;
import io.outbox.jdbc.archive.EventArchive;
import io.outbox.operate.OutboxOperator;
import io.outbox.util.PrintableLogger;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A web page to see and steer outboxes, on its own HTTP server. It listens on this machine only,
 * unless you set another address, and users or a token. Thread-safe.
 */
public final class OutboxConsole implements AutoCloseable {

  /** The default port. */
  public static final int DEFAULT_PORT = 8085;

  /** How often an open page is refreshed by default. */
  public static final Duration DEFAULT_REFRESH = Duration.ofSeconds(2);

  private static final Logger LOG = PrintableLogger.of(OutboxConsole.class);

  /** How long a client may take to send a request. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final InetSocketAddress wanted;
  private final ConsoleApplication application;
  private final ConsoleOutboxes outboxes;
  private final Streams streams = new Streams(ConsoleOutboxes.MAX_STREAMS);
  private final Duration patience;
  private final Proxies proxies;
  private final String openness;
  private NonBlockingServer server; // guarded by this
  private boolean closed; // guarded by this

  private OutboxConsole(Builder settings) {
    wanted = new InetSocketAddress(settings.bindAddress, settings.port);
    outboxes = new ConsoleOutboxes(settings.operators, settings.archives, settings.refresh);
    patience = settings.patience;
    application =
        new ConsoleApplication(
            outboxes,
            settings.mask,
            settings.access(this::cookieName),
            settings.sameOrigin(),
            settings.environment);
    proxies = new Proxies(settings.trustedProxies);
    openness = settings.openness();
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
      server =
          NonBlockingServer.start(
              "outbox-console",
              wanted,
              patience,
              request -> application.answer(proxies.unwrapped(request)),
              streams);
    } catch (IOException e) {
      throw new UncheckedIOException(
          "the console cannot listen on " + wanted + ": " + e.getMessage(), e);
    }
    if (openness != null) {
      LOG.log(Level.WARNING, openness);
    }
    outboxes.start();
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
    InetAddress address = wanted.getAddress();
    String host =
        address.isAnyLocalAddress() || address.isLoopbackAddress()
            ? "localhost"
            : address.getHostAddress();
    return URI.create(
        "http://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + server.port() + "/");
  }

  private synchronized String cookieName() {
    return "outbox-console-" + server.port();
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
        server.close();
      }
    }
  }

  /** Collects settings. Not thread-safe. */
  public static final class Builder {

    private final Map<String, OutboxOperator> operators = new LinkedHashMap<>();
    private final Map<String, EventArchive> archives = new HashMap<>();
    private final Credentials credentials = new Credentials();
    private final Set<String> allowedHosts = new HashSet<>();
    private InetAddress bindAddress = InetAddress.getLoopbackAddress();
    private int port = DEFAULT_PORT;
    private ConsoleRole anonymous = ConsoleRole.OPERATOR;
    private Networks anonymousFrom = Networks.NONE;
    private Networks trustedProxies = Networks.NONE;
    private String userHeader;
    private Function<String, ConsoleRole> userRoles;
    private Environment environment = Environment.NONE;
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

    /**
     * Adds the archive of an outbox, to search it and to replay its events.
     *
     * @param name of the outbox, as in {@link #operator}
     */
    public Builder archive(String name, EventArchive archive) {
      archives.put(
          Objects.requireNonNull(name, "name"), Objects.requireNonNull(archive, "archive"));
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
     * The address it listens on. Other than a loopback address it needs a {@link #token}, a {@link
     * #user}, {@link #proxyUsers} or {@link #anonymousFrom}. Default: this machine only.
     */
    public Builder bindAddress(InetAddress value) {
      bindAddress = Objects.requireNonNull(value, "bindAddress");
      return this;
    }

    /** Admits users with this token of at least 16 characters; one token per role. */
    public Builder token(String token, ConsoleRole role) {
      Objects.requireNonNull(role, "role");
      credentials.addToken(Objects.requireNonNull(token, "token"), role);
      return this;
    }

    /**
     * Admits users with this token of at least 16 characters.
     *
     * @param name shown in the audit; use one token per person or program
     */
    public Builder token(String name, String token, ConsoleRole role) {
      ConsoleUser user = new ConsoleUser(name, role);
      credentials.addToken(user.name(), Objects.requireNonNull(token, "token"), role);
      return this;
    }

    /** Admits this user. Only a hash of the password is kept. */
    public Builder user(String name, String password, ConsoleRole role) {
      ConsoleUser user = new ConsoleUser(name, role);
      credentials.addUser(user, Objects.requireNonNull(password, "password"));
      return this;
    }

    /**
     * What everybody on this machine may do while there is no token, no user and no proxy that
     * signs them in. A request that an unknown proxy passed on is not of this machine. Default:
     * {@link ConsoleRole#OPERATOR}.
     */
    public Builder anonymous(ConsoleRole role) {
      anonymous = Objects.requireNonNull(role, "role");
      return this;
    }

    /**
     * Lets in requests from this network, such as {@code 10.1.0.0/16}, without signing in, with the
     * role of {@link #anonymous}. Default: from this machine only.
     */
    public Builder anonymousFrom(String network) {
      anonymousFrom = anonymousFrom.and(network);
      return this;
    }

    /**
     * A network of proxies that are believed whose request they pass on ({@code X-Forwarded-For},
     * {@code X-Forwarded-Proto}). Default: none.
     */
    public Builder trustedProxy(String network) {
      trustedProxies = trustedProxies.and(network);
      return this;
    }

    /**
     * Lets in users that a {@linkplain #trustedProxy trusted proxy} has signed in and names in a
     * header, such as {@code X-Forwarded-User}. The proxy must replace that header in every
     * request.
     *
     * @param roles the role of a user of this name; null keeps the user out
     */
    public Builder proxyUsers(String header, Function<String, ConsoleRole> roles) {
      Objects.requireNonNull(roles, "roles");
      if (!Objects.requireNonNull(header, "header").matches("[A-Za-z0-9-]{1,64}")) {
        throw new IllegalArgumentException("not the name of a header: " + header);
      }
      userHeader = header;
      userRoles = roles;
      return this;
    }

    /**
     * A name under which the console may be called, for example the name of its proxy. Without
     * users and tokens it answers only under localhost and loopback addresses otherwise.
     */
    public Builder allowedHost(String host) {
      allowedHosts.add(SameOrigin.host(Objects.requireNonNull(host, "host")));
      return this;
    }

    /**
     * The name of the environment, such as production, shown on every page and in its title, next
     * to the database.
     *
     * @param color red, orange, yellow, green, blue, purple or gray; null for none
     */
    public Builder environment(String name, String color) {
      environment = new Environment(Objects.requireNonNull(name, "name"), color);
      return this;
    }

    /** Masks payloads and headers. Default: everything is shown. */
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
     * @throws IllegalStateException if there is no outbox, or if everyone could use it
     */
    public OutboxConsole build() {
      Operators.requireSome(operators);
      Operators.requireKnown(operators, archives.keySet());
      if (userHeader != null && trustedProxies.isEmpty()) {
        throw new IllegalStateException(
            "anybody could send the header "
                + userHeader
                + ": say with trustedProxy(...) which proxies may");
      }
      if (isAnonymous() && anonymousFrom.isEmpty() && !bindAddress.isLoopbackAddress()) {
        throw new IllegalStateException(
            "the console would be open to everybody who reaches "
                + bindAddress.getHostAddress()
                + ": add a token(...), a user(...) or proxyUsers(...), bind it to a loopback"
                + " address, or say with anonymousFrom(...) who needs not sign in");
      }
      if (!isAnonymous() && !anonymousFrom.isEmpty()) {
        throw new IllegalStateException(
            "anonymousFrom(...) is of no use beside tokens, users or proxyUsers(...)");
      }
      return new OutboxConsole(this);
    }

    private Access access(Supplier<String> cookieName) {
      if (isAnonymous()) {
        boolean local = anonymousFrom.isEmpty();
        String name = local ? System.getProperty("user.name", "anonymous") : "anonymous";
        return new Anonymous(new ConsoleUser(name, anonymous), anonymousFrom);
      }
      Access logins =
          credentials.isEmpty()
              ? Access.nobody()
              : new LoginAccess(credentials, Clock.systemUTC(), cookieName);
      return userHeader == null ? logins : new ProxyUsers(userHeader, userRoles, logins);
    }

    private boolean isAnonymous() {
      return credentials.isEmpty() && userHeader == null;
    }

    /** Null if everybody has to sign in. */
    private String openness() {
      return isAnonymous()
          ? "the console lets in everybody from "
              + (anonymousFrom.isEmpty() ? "" : anonymousFrom + " and from ")
              + "this machine, without signing in, as "
              + anonymous
          : null;
    }

    /** With users, a name that somebody points here gets no cookie: any name will do. */
    private SameOrigin sameOrigin() {
      if (!isAnonymous() && allowedHosts.isEmpty()) {
        return SameOrigin.ofAnyHost();
      }
      Set<String> hosts = new HashSet<>(allowedHosts);
      String address = bindAddress.getHostAddress();
      hosts.add(address.contains(":") ? "[" + address + "]" : address);
      SameOrigin known = SameOrigin.ofHosts(hosts);
      return bindAddress.isAnyLocalAddress() ? known.andAnyAddress() : known;
    }
  }
}
