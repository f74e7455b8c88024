package io.outbox.console;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Optional;

/** Says who sends a request to the console in a servlet container. Called by many threads. */
@FunctionalInterface
public interface ConsoleAccess {

  /** Who sends it; empty if they may not even look. */
  Optional<ConsoleUser> userOf(HttpServletRequest request);

  /**
   * Whoever the container, or a filter before the console, has signed in. Those in {@code
   * operatorRole} may act, the others may look, and nobody else gets in.
   */
  static ConsoleAccess ofPrincipal(String operatorRole) {
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
