package io.outbox.console.internal.access;

import io.outbox.console.ConsoleUser;
import io.outbox.console.internal.http.Request;
import java.util.Optional;

/**
 * Who comes from this machine, or from some networks, is this user without signing in. A request
 * that an unknown proxy passed on comes from nowhere: the proxy's address says nothing. Nor does
 * that of a trusted one which names no client.
 */
public final class Anonymous implements Access {

  private final Visitor visitor;
  private final Networks networks;

  public Anonymous(ConsoleUser user, Networks networks) {
    this.visitor = Visitor.always(user);
    this.networks = networks;
  }

  @Override
  public Optional<Visitor> visitor(Request request) {
    return request.isClientKnown()
            && mayBeFrom(request.remoteAddress(), networks)
            && !Proxies.isPassedOn(request::header)
        ? Optional.of(visitor)
        : Optional.empty();
  }

  /** Whether somebody at this address needs not sign in. */
  public static boolean mayBeFrom(String address, Networks networks) {
    return Networks.isLoopback(address) || networks.contain(address);
  }
}
