package io.outbox.console.internal.access;

import io.outbox.console.internal.http.HttpFailure;
import io.outbox.console.internal.http.Request;
import io.outbox.console.internal.http.Response;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/** Tells who sends a request, and signs users in if that is the console's business. */
public interface Access {

  Optional<Visitor> visitor(Request request);

  /** By which one can sign in: {@code token}, {@code password}. */
  default Set<String> logins() {
    return Set.of();
  }

  default Response login(Request request) {
    throw HttpFailure.notFound("There is nothing to sign in to here.");
  }

  default Response logout(Request request) {
    throw HttpFailure.notFound("There is nothing to sign out of here.");
  }

  /** How long a request has to wait before it is looked at, because others were wrong. */
  default Duration delay(Request request) {
    return Duration.ZERO;
  }

  /** Nobody. */
  static Access nobody() {
    return request -> Optional.empty();
  }

  /** Whom the server says it is. */
  static Access asSignedIn() {
    return request -> request.signedIn().map(Visitor::always);
  }
}
