package io.outbox.relay;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Asks a relay for its health and metrics. */
final class Monitor {

  private static final HttpClient CLIENT = HttpClient.newHttpClient();

  private final String address;

  Monitor(String address) {
    this.address = address;
  }

  static Monitor of(Relay relay) {
    return new Monitor(relay.monitoringAddress().orElseThrow());
  }

  String address() {
    return address;
  }

  HttpResponse<String> get(String path) {
    return send(HttpRequest.newBuilder(URI.create(address + path)).build());
  }

  HttpResponse<String> post(String path) {
    return send(
        HttpRequest.newBuilder(URI.create(address + path))
            .POST(HttpRequest.BodyPublishers.noBody())
            .build());
  }

  private static HttpResponse<String> send(HttpRequest request) {
    try {
      return CLIENT
          .sendAsync(request, BodyHandlers.ofString())
          .orTimeout(Duration.ofSeconds(60).toMillis(), TimeUnit.MILLISECONDS)
          .join();
    } catch (RuntimeException e) {
      throw new UncheckedIOException(new IOException(e));
    }
  }

  /** The value of a metric of a table; 0 if there is none. */
  double metric(String name, String table) {
    Matcher matcher =
        Pattern.compile(
                "^" + name + "\\{[^}]*table=\"" + table + "\"[^}]*} (\\S+)$", Pattern.MULTILINE)
            .matcher(get("/metrics").body());
    return matcher.find() ? Double.parseDouble(matcher.group(1)) : 0;
  }
}
