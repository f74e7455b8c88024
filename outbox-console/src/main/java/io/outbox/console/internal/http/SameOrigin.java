package io.outbox.console.internal.http;

import java.util.Collection;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Refuses what another site sends through a visitor's browser. A name that resolves to this machine
 * (DNS rebinding) is found out by the Host header, all else by a header of our own, which another
 * site cannot send without being asked for, and by what the browser says of the origin.
 */
public final class SameOrigin {

  /** Has to be there in every request that changes something. */
  public static final String HEADER = "X-Outbox-Console";

  /** Of this machine, for itself: nobody else can point them elsewhere. */
  private static final Set<String> LOCAL = Set.of("localhost", "127.0.0.1", "[::1]");

  private static final Pattern ORIGIN = Pattern.compile("([a-z][a-z0-9+.-]*)://(.+)");

  private static final Pattern ADDRESS = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}|\\[.+\\]");

  private final Set<String> hosts;
  private final boolean anyAddress;

  private SameOrigin(Set<String> hosts, boolean anyAddress) {
    this.hosts = Set.copyOf(hosts);
    this.anyAddress = anyAddress;
  }

  /** The console may be called by any name. */
  public static SameOrigin ofAnyHost() {
    return new SameOrigin(Set.of(), true);
  }

  /**
   * The console may be called by some names, without port, and by those that a machine has for
   * itself.
   */
  public static SameOrigin ofHosts(Collection<String> hosts) {
    Set<String> all = new HashSet<>(LOCAL);
    hosts.forEach(host -> all.add(host.toLowerCase(Locale.ROOT)));
    return new SameOrigin(all, false);
  }

  /** The same, and by any address: only a name can be pointed here by somebody else. */
  public SameOrigin andAnyAddress() {
    return new SameOrigin(hosts, true);
  }

  /** A name that can be in a Host header, without port. */
  public static String host(String name) {
    String host = name.toLowerCase(Locale.ROOT);
    if (!host.matches("[^\\s/:\\[\\]]+|\\[[0-9a-f:.]+\\]")) {
      throw new IllegalArgumentException(
          "a host is a name or an address without a port, such as outbox.example.org or [::1], but"
              + " not "
              + name);
    }
    return host;
  }

  public void check(Request request) {
    Authority host =
        Authority.parse(request.header("Host"))
            .orElseThrow(
                () -> HttpFailure.badRequest("The Host header must be a name and a port."));
    if (!isAllowed(host.host())) {
      throw new HttpFailure(
          421,
          "The console does not answer under this name. Call it by its address, or allow the name:"
              + " allowedHost(...), with Spring Boot outbox.console.allowed-hosts");
    }
    if (!request.method().equals("GET") && !request.method().equals("HEAD")) {
      checkOrigin(request, host);
    }
  }

  private boolean isAllowed(String host) {
    return hosts.isEmpty()
        || hosts.contains(host)
        || (anyAddress && ADDRESS.matcher(host).matches());
  }

  private static void checkOrigin(Request request, Authority host) {
    if (request.header(HEADER) == null) {
      throw new HttpFailure(403, "Send the header " + HEADER + ": 1 with every change.");
    }
    String origin = request.header("Origin");
    boolean own = origin == null || isOf(origin, request.scheme(), host);
    String site = request.header("Sec-Fetch-Site");
    if (site != null && !site.equals("same-origin") && !site.equals("none")) {
      throw new HttpFailure(403, "Changes are only accepted from the console's own page.");
    }
    // A browser that says same-origin knows better than we do behind a proxy that encrypts.
    if (site == null && !own) {
      throw new HttpFailure(
          403,
          "Changes are only accepted from the console's own page. If a proxy encrypts before the"
              + " console, make it a trusted one.");
    }
  }

  private static boolean isOf(String origin, String scheme, Authority host) {
    if (origin.equals("null")) {
      return false;
    }
    Matcher form = ORIGIN.matcher(origin);
    Authority of = form.matches() ? Authority.parse(form.group(2)).orElse(null) : null;
    if (of == null) {
      throw HttpFailure.badRequest("The Origin header must be a scheme, a name and a port.");
    }
    return form.group(1).equals(scheme) && of.of(scheme).equals(host.of(scheme));
  }
}
