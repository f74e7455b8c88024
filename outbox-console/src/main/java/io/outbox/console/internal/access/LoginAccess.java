package io.outbox.console.internal.access;

import com.google.gson.JsonObject;
import io.outbox.console.ConsoleUser;
import io.outbox.console.internal.http.HttpFailure;
import io.outbox.console.internal.http.JsonBody;
import io.outbox.console.internal.http.Request;
import io.outbox.console.internal.http.Response;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/** Users sign in and get a cookie; scripts send their secret with each request. */
public final class LoginAccess implements Access {

  private final Credentials credentials;
  private final Sessions sessions;
  private final FailedLogins failures;
  private final Supplier<String> cookie;

  /**
   * @param cookie its name, which should differ between consoles on one host: ports do not separate
   *     cookies
   */
  public LoginAccess(Credentials credentials, InstantSource clock, Supplier<String> cookie) {
    this.credentials = credentials;
    this.sessions = new Sessions(clock);
    this.failures = new FailedLogins(clock);
    this.cookie = cookie;
  }

  @Override
  public Set<String> logins() {
    return credentials.kinds();
  }

  @Override
  public Optional<Visitor> visitor(Request request) {
    String authorization = request.header("Authorization");
    if (authorization != null) {
      return checked(request, authorized(authorization)).map(Visitor::always);
    }
    return sessionId(request)
        .flatMap(
            id ->
                sessions
                    .userOf(id)
                    .map(user -> new Visitor(user, () -> sessions.userOf(id).isPresent())));
  }

  /**
   * Passwords wait after wrong ones, whether right or not, so that hanging up early tells nothing.
   * Tokens are too long to be guessed: a right one never waits.
   */
  @Override
  public Duration delay(Request request) {
    String authorization = request.header("Authorization");
    boolean login = request.method().equals("POST") && request.path().equals("/api/login");
    boolean guess =
        login
            ? !isRightToken(loginBody(request).text("token"))
            : authorization != null && !isRightToken(bearer(authorization));
    return guess
        ? failures
            .takeTurn(request.remoteAddress())
            .orElseThrow(
                () ->
                    new HttpFailure(
                        429, "Too many attempts to sign in from your address. Try again."))
        : Duration.ZERO;
  }

  private boolean isRightToken(String token) {
    return token != null && credentials.byToken(token).isPresent();
  }

  /** Null if it is something else. */
  private static String bearer(String authorization) {
    return authorization.regionMatches(true, 0, "Bearer ", 0, 7)
        ? authorization.substring(7).trim()
        : null;
  }

  private static JsonBody loginBody(Request request) {
    return JsonBody.read(request).only("token", "user", "password");
  }

  private Supplier<Optional<ConsoleUser>> authorized(String authorization) {
    String token = bearer(authorization);
    if (token != null) {
      return () -> credentials.byToken(token);
    }
    if (authorization.regionMatches(true, 0, "Basic ", 0, 6)) {
      return () -> basic(authorization.substring(6).trim());
    }
    return Optional::empty;
  }

  private Optional<ConsoleUser> basic(String encoded) {
    try {
      String pair = new String(Base64.getDecoder().decode(encoded), StandardCharsets.UTF_8);
      int colon = pair.indexOf(':');
      return colon < 0
          ? Optional.empty()
          : credentials.byPassword(pair.substring(0, colon), pair.substring(colon + 1));
    } catch (IllegalArgumentException e) {
      return Optional.empty(); // not Base64: counted as a failure like any other
    }
  }

  private Optional<ConsoleUser> checked(Request request, Supplier<Optional<ConsoleUser>> check) {
    Optional<ConsoleUser> user = check.get();
    if (user.isEmpty()) {
      failures.count(request.remoteAddress());
    }
    return user;
  }

  @Override
  public Response login(Request request) {
    JsonBody body = loginBody(request);
    String token = body.text("token");
    ConsoleUser user =
        checked(
                request,
                token != null
                    ? () -> credentials.byToken(token)
                    : () ->
                        credentials.byPassword(body.required("user"), body.required("password")))
            .orElseThrow(
                () ->
                    new HttpFailure(
                        401,
                        token == null
                            ? "The name or the password is wrong."
                            : "The token is wrong."));
    return Response.json(new JsonObject())
        .with("Set-Cookie", setCookie(request, sessions.open(user), Sessions.LIFETIME.toSeconds()));
  }

  @Override
  public Response logout(Request request) {
    sessionId(request).ifPresent(sessions::close);
    return Response.json(new JsonObject()).with("Set-Cookie", setCookie(request, "", 0));
  }

  private String setCookie(Request request, String value, long seconds) {
    boolean encrypted =
        request.scheme().equals("https")
            || "https".equalsIgnoreCase(request.header("X-Forwarded-Proto"));
    return cookie.get()
        + "="
        + value
        + "; Path=/; HttpOnly; SameSite=Strict; Max-Age="
        + seconds
        + (encrypted ? "; Secure" : "");
  }

  private Optional<String> sessionId(Request request) {
    String header = request.header("Cookie");
    if (header == null) {
      return Optional.empty();
    }
    for (String each : header.split(";")) {
      String pair = each.trim();
      if (pair.startsWith(cookie.get() + "=")) {
        return Optional.of(pair.substring(cookie.get().length() + 1));
      }
    }
    return Optional.empty();
  }
}
