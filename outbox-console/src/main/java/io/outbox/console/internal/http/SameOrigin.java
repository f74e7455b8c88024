package io.outbox.console.internal.http;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Collection;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/**
 * Refuses what another site sends through a visitor's browser. A name that resolves to this machine
 * (DNS rebinding) is found out by the Host header, all else by a header of our own, which another
 * site cannot send without being asked for, and by what the browser says of the origin.
 */
public final class SameOrigin {

  /** Has to be there in every request that is not a GET. */
  public static final String HEADER = "X-Outbox-Console";

  /** Of this machine, for itself: nobody else can point them elsewhere. */
  private static final Set<String> LOCAL = Set.of("localhost", "127.0.0.1", "[::1]");

  private final Set<String> hosts;

  private SameOrigin(Set<String> hosts) {
    this.hosts = Set.copyOf(hosts);
  }

  /** The console may be called by any name. */
  public static SameOrigin ofAnyHost() {
    return new SameOrigin(Set.of());
  }

  /**
   * The console may be called by some names, without port, and by those that a machine has for
   * itself.
   */
  public static SameOrigin ofHosts(Collection<String> hosts) {
    Set<String> all = new HashSet<>(LOCAL);
    hosts.forEach(host -> all.add(host.toLowerCase(Locale.ROOT)));
    return new SameOrigin(all);
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
    String host = request.header("Host");
    if (!hosts.isEmpty() && (host == null || !hosts.contains(withoutPort(host)))) {
      throw new HttpFailure(
          421,
          "The console does not answer under this name. Call it by its address, or allow the name:"
              + " allowedHost(...), with Spring Boot outbox.console.allowed-hosts");
    }
    if (!request.method().equals("GET")) {
      checkOrigin(request, host);
    }
  }

  private static void checkOrigin(Request request, String host) {
    if (request.header(HEADER) == null) {
      throw new HttpFailure(403, "Send the header " + HEADER + ": 1 with every change.");
    }
    String site = request.header("Sec-Fetch-Site");
    if (site != null && !site.equals("same-origin") && !site.equals("none")) {
      throw new HttpFailure(403, "Changes are only accepted from the console's own page.");
    }
    String origin = request.header("Origin");
    if (site == null && origin != null && !isOf(origin, host)) {
      throw new HttpFailure(
          403, "Changes are only accepted from the console's own page, not from " + origin + ".");
    }
  }

  private static boolean isOf(String origin, String host) {
    try {
      String authority = new URI(origin).getRawAuthority();
      return authority != null && authority.equalsIgnoreCase(host);
    } catch (URISyntaxException e) {
      return false;
    }
  }

  private static String withoutPort(String host) {
    int colon = host.lastIndexOf(':');
    boolean port = colon > host.lastIndexOf(']') && colon >= 0;
    return (port ? host.substring(0, colon) : host).toLowerCase(Locale.ROOT);
  }
}
