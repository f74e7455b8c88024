package io.outbox.console;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Objects;
import java.util.Optional;

/** Finds the user of a request to the console in a servlet container. Called by many threads. */
@FunctionalInterface
public interface ConsoleAccess {

  /** The user; empty if the user may not even look. */
  Optional<ConsoleUser> userOf(HttpServletRequest request);

  /**
   * Admits requests from this machine, or from networks such as {@code 10.1.0.0/16}, without
   * signing in. A proxied request does not count as from this machine, whatever a filter does to
   * its headers.
   *
   * @throws IllegalArgumentException if a network is malformed
   */
  static ConsoleAccess anonymous(ConsoleRole role, String... networks) {
    Objects.requireNonNull(role, "role");
    Objects.requireNonNull(networks, "networks");
    return new AnonymousAccess(role, networks);
  }

  /**
   * Admits users signed in by the container, or by a filter before the console. Users in {@code
   * operatorRole} may act, the others may look.
   */
  static ConsoleAccess ofPrincipal(String operatorRole) {
    Objects.requireNonNull(operatorRole, "operatorRole");
    return request ->
        Optional.ofNullable(request.getUserPrincipal())
            .map(
                principal ->
                    new ConsoleUser(
                        principal.getName(),
                        request.isUserInRole(operatorRole)
                            ? ConsoleRole.OPERATOR
                            : ConsoleRole.READ_ONLY));
  }
}
