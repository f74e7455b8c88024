package io.outbox.console;

import io.outbox.console.internal.access.Anonymous;
import io.outbox.console.internal.access.Networks;
import io.outbox.console.internal.access.Proxies;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletRequestWrapper;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Optional;

/** Lets in who comes from this machine or some networks, in a servlet container. */
final class AnonymousAccess implements ConsoleAccess {

  /** Tomcat's valve believes headers, which it then removes: the address may be made up. */
  private static final String BY_TOMCAT = "org.apache.tomcat.request.forwarded";

  private final ConsoleUser user;
  private final Networks networks;

  AnonymousAccess(ConsoleRole role, String... given) {
    user = new ConsoleUser("anonymous", role);
    Networks all = Networks.NONE;
    for (String network : given) {
      all = all.and(network);
    }
    networks = all;
  }

  @Override
  public Optional<ConsoleUser> userOf(HttpServletRequest request) {
    HttpServletRequest raw = unwrapped(request);
    boolean welcome =
        Anonymous.mayBeFrom(raw.getRemoteAddr(), networks)
            && raw.getAttribute(BY_TOMCAT) == null
            && !Proxies.isPassedOn(raw::getHeader);
    return welcome ? Optional.of(user) : Optional.empty();
  }

  /** Filters that believe headers (Spring's ForwardedHeaderFilter) wrap the request. */
  private static HttpServletRequest unwrapped(HttpServletRequest request) {
    ServletRequest raw = request;
    while (raw instanceof ServletRequestWrapper wrapper) {
      raw = wrapper.getRequest();
    }
    return raw instanceof HttpServletRequest http ? http : request;
  }
}
