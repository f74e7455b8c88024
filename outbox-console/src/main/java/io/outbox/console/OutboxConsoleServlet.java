package io.outbox.console;

import io.outbox.console.internal.access.Access;
import io.outbox.console.internal.api.ConsoleApplication;
import io.outbox.console.internal.api.ConsoleOutboxes;
import io.outbox.console.internal.api.Environment;
import io.outbox.console.internal.http.Request;
import io.outbox.console.internal.http.Response;
import io.outbox.console.internal.http.SameOrigin;
import io.outbox.console.internal.server.Streams;
import io.outbox.jdbc.archive.EventArchive;
import io.outbox.operate.OutboxOperator;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * The console in a servlet container, to be mapped to a path such as {@code /outbox/*} with support
 * for asynchronous requests. The {@link ConsoleAccess} decides about users.
 */
public final class OutboxConsoleServlet extends HttpServlet implements AutoCloseable {
  private static final long serialVersionUID = 1L;

  private final transient ConsoleApplication application;
  private final transient ConsoleOutboxes outboxes;
  private final transient ConsoleAccess access;
  private final transient Streams streams = new Streams(ConsoleOutboxes.MAX_STREAMS);

  private OutboxConsoleServlet(Builder settings) {
    access = settings.access;
    outboxes = new ConsoleOutboxes(settings.operators, settings.archives, settings.refresh);
    application =
        new ConsoleApplication(
            outboxes,
            settings.mask,
            Access.asSignedIn(),
            settings.sameOrigin(),
            settings.environment);
  }

  public static Builder builder() {
    return new Builder();
  }

  @Override
  public void init() {
    outboxes.start();
  }

  /**
   * Ends what pages watch, until {@link #resume}: for servers that wait, when they stop, for all
   * requests to end.
   */
  public void suspend() {
    outboxes.suspend();
  }

  /** Lets pages watch again. */
  public void resume() {
    outboxes.resume();
  }

  /** Ends what pages watch, and bulk actions after the batch they are at. */
  @Override
  public void close() {
    application.close();
    streams.close();
  }

  @Override
  public void destroy() {
    close();
  }

  @Override
  protected void service(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    if (request.getPathInfo() == null && request.getMethod().equals("GET")) {
      // the page's own addresses are relative
      response.sendRedirect(request.getContextPath() + request.getServletPath() + "/");
      return;
    }
    Response answer = application.answer(new Asked(request, access.userOf(request)));
    response.setStatus(answer.status());
    answer.headers().forEach(response::setHeader);
    if (answer instanceof Response.Live live) {
      stream(request, response, live);
    } else if (answer instanceof Response.Whole whole) {
      response.setContentLength(whole.body().length);
      response.getOutputStream().write(whole.body());
    }
  }

  private void stream(HttpServletRequest request, HttpServletResponse response, Response.Live live)
      throws IOException {
    AsyncContext asynchronous;
    OutputStream out;
    try {
      response.flushBuffer();
      out = response.getOutputStream();
      asynchronous = request.startAsync();
      asynchronous.setTimeout(0);
    } catch (IOException | RuntimeException e) {
      live.body().close();
      throw e;
    }
    streams.write(live.body(), out, problem -> asynchronous.complete());
  }

  private record Asked(HttpServletRequest request, Optional<ConsoleUser> user) implements Request {

    @Override
    public String method() {
      return request.getMethod();
    }

    @Override
    public String path() {
      return request.getPathInfo() == null ? "" : request.getPathInfo();
    }

    @Override
    public String rawQuery() {
      return request.getQueryString();
    }

    @Override
    public String header(String name) {
      String value = request.getHeader(name);
      return value == null && name.equals("Host") ? authority() : value;
    }

    /** HTTP/2 has no Host header; not every container makes one of what it has instead. */
    private String authority() {
      String host = request.getServerName();
      int port = request.getServerPort();
      boolean usual = port == (request.isSecure() ? 443 : 80);
      return (host.contains(":") && !host.startsWith("[") ? "[" + host + "]" : host)
          + (usual ? "" : ":" + port);
    }

    @Override
    public String scheme() {
      return request.getScheme();
    }

    @Override
    public String remoteAddress() {
      return request.getRemoteAddr();
    }

    @Override
    public InputStream body() throws IOException {
      return request.getInputStream();
    }

    @Override
    public Optional<ConsoleUser> signedIn() {
      return user;
    }
  }

  /** Collects settings. Not thread-safe. */
  public static final class Builder {

    private final Map<String, OutboxOperator> operators = new LinkedHashMap<>();
    private final Map<String, EventArchive> archives = new HashMap<>();
    private ConsoleAccess access;
    private Environment environment = Environment.NONE;
    private PayloadMask mask = PayloadMask.NONE;
    private Duration refresh = OutboxConsole.DEFAULT_REFRESH;
    private final Set<String> allowedHosts = new HashSet<>();

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

    /** Names the user of a request. Required. */
    public Builder access(ConsoleAccess value) {
      access = Objects.requireNonNull(value, "access");
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

    /**
     * Adds a name under which the console may be called, without port; names of this machine, such
     * as localhost, are then allowed as well. Default: any name. Set it if {@link #access} lets in
     * anonymous users: a foreign page could otherwise reach the console through a visitor's
     * browser, by a name that leads here.
     */
    public Builder allowedHost(String host) {
      allowedHosts.add(SameOrigin.host(Objects.requireNonNull(host, "host")));
      return this;
    }

    private SameOrigin sameOrigin() {
      return allowedHosts.isEmpty() ? SameOrigin.ofAnyHost() : SameOrigin.ofHosts(allowedHosts);
    }

    /**
     * The servlet.
     *
     * @throws IllegalStateException if there is no outbox, or nothing says who may use it
     */
    public OutboxConsoleServlet build() {
      Operators.requireSome(operators);
      Operators.requireKnown(operators, archives.keySet());
      if (access == null) {
        throw new IllegalStateException("the console would be open to everybody: set access(...)");
      }
      return new OutboxConsoleServlet(this);
    }
  }
}
