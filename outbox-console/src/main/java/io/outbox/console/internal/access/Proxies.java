package io.outbox.console.internal.access;

import io.outbox.console.ConsoleUser;
import io.outbox.console.internal.http.Request;
import io.outbox.util.PrintableLogger;
import java.io.IOException;
import java.io.InputStream;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;

/** Proxies before the console, of which some are believed what they say of a request. */
public final class Proxies {

  private static final Logger LOG = PrintableLogger.of(Proxies.class);
  private static final String FOR = "X-Forwarded-For";
  private static final String PROTO = "X-Forwarded-Proto";
  private static final List<String> TRACES =
      List.of(FOR, "Forwarded", "X-Real-IP", "X-Forwarded-Host", PROTO, "Via");

  private final Networks trusted;
  private final AtomicBoolean warned = new AtomicBoolean();

  public Proxies(Networks trusted) {
    this.trusted = trusted;
  }

  /** Whether a proxy says that it passes on somebody else's request. */
  public static boolean isPassedOn(UnaryOperator<String> headers) {
    return TRACES.stream().anyMatch(name -> headers.apply(name) != null);
  }

  boolean isTrusted(String address) {
    return trusted.contain(address);
  }

  /** The request as it was before it came through trusted proxies. */
  public Request unwrapped(Request request) {
    if (!isTrusted(request.remoteAddress())) {
      return request;
    }
    String client = client(request);
    if (isTrusted(client) && warned.compareAndSet(false, true)) {
      LOG.log(
          Level.WARNING,
          () ->
              "the trusted proxy "
                  + request.remoteAddress()
                  + " names no client in X-Forwarded-For: who comes through it counts as one, and"
                  + " must sign in");
    }
    return new PassedOn(request, client, !isTrusted(client));
  }

  /** The last address that is not of a trusted proxy: those before it anybody can make up. */
  private String client(Request request) {
    String client = request.remoteAddress();
    String header = request.header(FOR);
    String[] hops = header == null ? new String[0] : header.split(",");
    for (int i = hops.length - 1; i >= 0 && isTrusted(client); i--) {
      client = hops[i].trim();
    }
    return client;
  }

  private record PassedOn(Request request, String remoteAddress, boolean isClientKnown)
      implements Request {

    @Override
    public String method() {
      return request.method();
    }

    @Override
    public String path() {
      return request.path();
    }

    @Override
    public String rawQuery() {
      return request.rawQuery();
    }

    @Override
    public String header(String name) {
      boolean taken = isClientKnown && TRACES.stream().anyMatch(name::equalsIgnoreCase);
      return taken ? null : request.header(name); // the trusted proxy's word
    }

    @Override
    public String scheme() {
      return "https".equalsIgnoreCase(request.header(PROTO)) ? "https" : request.scheme();
    }

    @Override
    public boolean isFromTrustedProxy() {
      return true;
    }

    @Override
    public InputStream body() throws IOException {
      return request.body();
    }

    @Override
    public Optional<ConsoleUser> signedIn() {
      return request.signedIn();
    }
  }
}
