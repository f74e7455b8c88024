package io.outbox.relay.broker;

import io.outbox.EventEnvelope;
import io.outbox.http.HttpPublisher;
import io.outbox.publish.Destination;
import io.outbox.relay.yaml.Section;
import io.outbox.relay.yaml.Values;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** A receiver by HTTP; a destination is an address. */
final class HttpTarget extends Broker {

  private static final Duration MILLISECOND = Duration.ofMillis(1);

  private final Map<String, String> headers;
  private final String signingSecret; // null for none
  private final Duration connectTimeout;
  private final Duration requestTimeout;
  private final Duration maxRetryAfter;
  private final int maxRequests;
  private final Integer[] outageStatuses;

  HttpTarget(CommonSettings common, Section section) {
    super(common);
    this.headers = headers(section);
    this.signingSecret = section.secret("signing-secret");
    Values values = Values.of(section);
    this.connectTimeout = values.duration("connect-timeout", Duration.ofSeconds(3), MILLISECOND);
    this.requestTimeout = values.duration("request-timeout", Duration.ofSeconds(10), MILLISECOND);
    this.maxRetryAfter = values.duration("max-retry-after", Duration.ofMinutes(5), MILLISECOND);
    this.maxRequests = values.integer("max-requests", 64, 1, Integer.MAX_VALUE);
    this.outageStatuses = outageStatuses(section);
  }

  private static Integer[] outageStatuses(Section section) {
    try {
      Integer[] statuses =
          section.texts("outage-statuses").stream().map(Integer::valueOf).toArray(Integer[]::new);
      HttpPublisher.builder().outageStatuses(statuses);
      return statuses;
    } catch (IllegalArgumentException e) {
      section.problem("outage-statuses", "must be statuses of failures, such as [404, 410]");
      return new Integer[0];
    }
  }

  private static Map<String, String> headers(Section section) {
    Map<String, String> headers = section.properties("headers");
    headers.forEach(
        (name, value) -> {
          try {
            HttpPublisher.builder().header(name, value);
          } catch (IllegalArgumentException e) {
            section.problem("headers", "'" + name + "' cannot be sent: " + e.getMessage());
          }
        });
    return headers;
  }

  static boolean isAddress(String text) {
    try {
      URI uri = URI.create(text);
      return uri.getHost() != null
          && ("http".equalsIgnoreCase(uri.getScheme())
              || "https".equalsIgnoreCase(uri.getScheme()));
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  @Override
  public String place() {
    return "HTTP";
  }

  @Override
  public String noun() {
    return "address";
  }

  @Override
  String flaw(String address) {
    return isAddress(address) ? null : "it should be like https://host/path";
  }

  @Override
  public Destination destination(String template) {
    super.destination(template);
    return HttpPublisher.address(template);
  }

  @Override
  public OpenBroker open(Function<EventEnvelope, Target> targets) {
    HttpPublisher.Builder builder =
        HttpPublisher.builder()
            .destination(destinationOf(targets))
            .format(format())
            .connectTimeout(connectTimeout)
            .requestTimeout(requestTimeout)
            .maxRetryAfter(maxRetryAfter)
            .maxRequests(maxRequests)
            .outageStatuses(outageStatuses);
    headers.forEach(builder::header);
    if (signingSecret != null) {
      builder.signWith(signingSecret);
    }
    HttpPublisher publisher = builder.build();
    return new OpenBroker(publisher, deadLetters(publisher::deadLetters), publisher::close);
  }

  /** Those whose host is no value of the event. */
  @Override
  public List<InetSocketAddress> addresses(Collection<String> destinations) {
    return destinations.stream()
        .map(template -> template.replaceFirst("^([^:]*://[^/{]*)(/.*)?$", "$1"))
        .map(start -> HostPorts.ofAddress(start, start.startsWith("https:") ? 443 : 80))
        .flatMap(Optional::stream)
        .distinct()
        .toList();
  }
}
