package io.outbox.console;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Objects;
import java.util.Optional;

/** Says who sends a request to the console in a servlet container. Called by many threads. */
@FunctionalInterface
public interface ConsoleAccess {

  /** Who sends it; empty if they may not even look. */
  Optional<ConsoleUser> userOf(HttpServletRequest request);

  /**
   * Whoever sends a request from this machine, or from one of some networks such as {@code
   * 10.1.0.0/16}, without signing in. A request that a proxy passed on is not of this machine,
   * whatever a filter makes of its headers.
   *
   * @throws IllegalArgumentException if a network is none
   */
  static ConsoleAccess anonymous(ConsoleRole role, String... networks) {
    Objects.requireNonNull(role, "role");
    Objects.requireNonNull(networks, "networks");
    return new AnonymousAccess(role, networks);
  }

  /**
   * Whoever the container, or a filter before the console, has signed in. Those in {@code
   * operatorRole} may act, the others may look, and nobody else gets in.
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
