package io.outbox.console.internal.api;

import com.google.gson.JsonArray;
import io.outbox.console.PayloadMask;
import io.outbox.console.internal.access.Access;
import io.outbox.console.internal.access.Visitor;
import io.outbox.console.internal.http.Assets;
import io.outbox.console.internal.http.HeadRequest;
import io.outbox.console.internal.http.HttpFailure;
import io.outbox.console.internal.http.Parameters;
import io.outbox.console.internal.http.Request;
import io.outbox.console.internal.http.Response;
import io.outbox.console.internal.http.SameOrigin;
import io.outbox.console.internal.http.SecurityHeaders;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** The console without a server: turns requests into responses. Thread-safe. */
public final class ConsoleApplication implements AutoCloseable {

  private static final Logger LOG = PrintableLogger.of(ConsoleApplication.class);
  private static final Set<String> METHODS = Set.of("GET", "HEAD", "POST");
  private static final int MAX_DELAYED = 1_000;
  private static final String OUTBOXES = "/api/outboxes/";

  private final ConsoleOutboxes outboxes;
  private final Access access;
  private final SameOrigin sameOrigin;
  private final Environment environment;
  private final Assets assets = new Assets();
  private final Map<String, Call.Endpoint> endpoints = new HashMap<>();
  private final AtomicInteger delayed = new AtomicInteger();

  public ConsoleApplication(
      ConsoleOutboxes outboxes,
      PayloadMask mask,
      Access access,
      SameOrigin sameOrigin,
      Environment environment) {
    this.environment = environment;
    this.outboxes = outboxes;
    this.access = access;
    this.sameOrigin = sameOrigin;
    new ReadEndpoints(mask).register(endpoints);
    new ChangeEndpoints().register(endpoints);
    new SubscriptionEndpoints().register(endpoints);
    new ArchiveEndpoints(mask).register(endpoints);
  }

  /** Never throws; what goes wrong is in the response. */
  public Response answer(Request request) {
    return SecurityHeaders.addTo(attempt(request));
  }

  private Response attempt(Request request) {
    Response response = attempt(request, () -> check(request));
    return response instanceof Response.Later later
        ? new Response.Later(later.delay(), () -> attempt(request, later.answer()))
        : response;
  }

  private Response check(Request request) {
    sameOrigin.check(request);
    if (!METHODS.contains(request.method())) {
      return failure(405, "There are GET, HEAD and POST.").with("Allow", "GET, HEAD, POST");
    }
    Duration delay = access.delay(request);
    return delay.isZero() ? answerNow(request) : later(delay, request);
  }

  private Response later(Duration delay, Request request) {
    if (delayed.incrementAndGet() > MAX_DELAYED) {
      delayed.decrementAndGet();
      throw new HttpFailure(429, "Too many attempts to sign in. Try again.");
    }
    return new Response.Later(
        delay,
        () -> {
          delayed.decrementAndGet();
          return answerNow(request);
        });
  }

  private Response answerNow(Request request) {
    return request.method().equals("HEAD")
        ? route(new HeadRequest(request)).withoutBody()
        : route(request);
  }

  private static Response attempt(Request request, Supplier<Response> answer) {
    try {
      return answer.get();
    } catch (HttpFailure e) {
      return failure(e.status(), e.getMessage());
    } catch (IllegalArgumentException e) {
      return failure(400, e.getMessage());
    } catch (IllegalStateException e) {
      return failure(409, e.getMessage());
    } catch (RuntimeException e) {
      LOG.log(Level.WARNING, () -> "the console could not answer " + request.path(), e);
      return failure(503, "The outbox could not be asked: " + e.getMessage());
    }
  }

  private static Response failure(int status, String message) {
    return Response.json(status, Json.object().with("message", message).build());
  }

  private Response route(Request request) {
    String path = request.path();
    String key = request.method() + " " + path;
    switch (key) {
      case "GET /":
        return assets.serve("index.html", request);
      case "GET /api/session":
        return session(request);
      case "POST /api/login":
        return access.login(request);
      case "POST /api/logout":
        return access.logout(request);
      default:
        break;
    }
    if (path.startsWith(OUTBOXES)) {
      return call(request, path.substring(OUTBOXES.length()));
    }
    if (request.method().equals("GET") && path.startsWith("/assets/")) {
      return assets.serve(path.substring("/assets/".length()), request);
    }
    throw HttpFailure.notFound("There is nothing at " + path + ".");
  }

  private Response call(Request request, String rest) {
    Visitor visitor = visitor(request);
    int slash = rest.indexOf('/');
    ConsoleOutbox outbox = outboxes.find(slash < 0 ? rest : rest.substring(0, slash));
    String what = slash < 0 ? "" : rest.substring(slash + 1);
    Call.Endpoint endpoint = endpoints.get(request.method() + " " + what);
    if (endpoint == null) {
      throw HttpFailure.notFound("Nobody answers " + request.method() + " " + what + ".");
    }
    if (!request.method().equals("GET") && !visitor.mayAct()) {
      throw new HttpFailure(
          403, visitor.user().name() + " may look, but not act: that takes the role operator.");
    }
    Call call = new Call(request, Parameters.parse(request.rawQuery()), visitor, outbox);
    return endpoint.answer(request.method().equals("GET") ? call : call.only());
  }

  private Visitor visitor(Request request) {
    return access
        .visitor(request)
        .orElseThrow(
            () ->
                access.logins().isEmpty()
                    ? new HttpFailure(
                        403, "You are not signed in, or may not come from this address.")
                    : new HttpFailure(401, "Sign in first."));
  }

  /** Also told to those who are not signed in, but no more than how to do that. */
  private Response session(Request request) {
    JsonArray logins = new JsonArray();
    access.logins().forEach(logins::add);
    Json json = Json.object().with("logins", logins);
    access
        .visitor(request)
        .ifPresent(
            visitor ->
                json.with("user", visitor.user().name())
                    .with("role", visitor.user().role().name())
                    .with("refreshMillis", outboxes.refresh().toMillis())
                    .with("environment", environment.name())
                    .with("color", environment.color())
                    .with("outboxes", outboxes.names()));
    return Response.json(json.build());
  }

  @Override
  public void close() {
    outboxes.close();
  }
}
