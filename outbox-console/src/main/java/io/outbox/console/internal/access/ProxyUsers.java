package io.outbox.console.internal.access;

import io.outbox.console.ConsoleRole;
import io.outbox.console.ConsoleUser;
import io.outbox.console.internal.http.HttpFailure;
import io.outbox.console.internal.http.Request;
import io.outbox.console.internal.http.Response;
import io.outbox.util.Printable;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** Whom a trusted proxy has signed in, by a header that only it can send; or others. */
public final class ProxyUsers implements Access {

  private static final int MAX_NAME = 100;

  private final String header;
  private final Function<String, ConsoleRole> roles;
  private final Access others;

  public ProxyUsers(String header, Function<String, ConsoleRole> roles, Access others) {
    this.header = header;
    this.roles = roles;
    this.others = others;
  }

  @Override
  public Optional<Visitor> visitor(Request request) {
    String name = request.isFromTrustedProxy() ? request.header(header) : null;
    return name == null || name.isBlank()
        ? others.visitor(request)
        : Optional.ofNullable(roles.apply(checked(name)))
            .map(role -> Visitor.always(new ConsoleUser(checked(name), role)));
  }

  private String checked(String name) {
    String stripped = name.strip();
    if (stripped.length() > MAX_NAME || !Printable.line(stripped).equals(stripped)) {
      throw HttpFailure.badRequest("The header " + header + " is no name of a user.");
    }
    return stripped;
  }

  @Override
  public Duration delay(Request request) {
    return others.delay(request);
  }

  @Override
  public Set<String> logins() {
    return others.logins();
  }

  @Override
  public Response login(Request request) {
    return others.login(request);
  }

  @Override
  public Response logout(Request request) {
    return others.logout(request);
  }
}
