package io.outbox.http;

import io.outbox.EventEnvelope;
import io.outbox.UnrecoverableException;
import io.outbox.publish.MessageFormat;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/** Makes requests of events. Rejects events that cannot be one. */
final class Requests {

  private static final String CLOUD_EVENTS_PREFIX = "ce-";
  private static final Pattern NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");

  private final MessageFormat format;
  private final Map<String, String> fixedHeaders;
  private final Signature signature; // null: none
  private final Duration timeout;

  Requests(
      MessageFormat format,
      Map<String, String> fixedHeaders,
      Signature signature,
      Duration timeout) {
    this.format = format;
    this.fixedHeaders = new LinkedHashMap<>(fixedHeaders);
    this.signature = signature;
    this.timeout = timeout;
  }

  HttpRequest of(EventEnvelope event, String destination) {
    try {
      URI address = address(destination);
      byte[] body = MessageFormat.body(event);
      HttpRequest.Builder request =
          HttpRequest.newBuilder(address)
              .timeout(timeout)
              .POST(HttpRequest.BodyPublishers.ofByteArray(body));
      if (address.getScheme().equalsIgnoreCase("http")) {
        // else the client would ask every server to switch to HTTP/2 first
        request.version(HttpClient.Version.HTTP_1_1);
      }
      format
          .headers(event, CLOUD_EVENTS_PREFIX)
          .forEach((name, value) -> request.setHeader(name, encoded(name, value)));
      fixedHeaders.forEach(request::setHeader);
      if (signature != null) {
        request.setHeader(Signature.HEADER, signature.of(body));
      }
      return request.build();
    } catch (IllegalArgumentException e) {
      throw new UnrecoverableException(
          "event " + event.eventId() + " cannot be sent by HTTP: " + e.getMessage(), e);
    }
  }

  private static URI address(String destination) {
    URI address = parsed(destination);
    String scheme = address.getScheme();
    if (!"http".equalsIgnoreCase(scheme) && !"https".equalsIgnoreCase(scheme)) {
      throw new IllegalArgumentException("the address is neither http nor https");
    }
    if (address.getHost() == null || address.getUserInfo() != null) {
      throw new IllegalArgumentException("the address needs a host, and must not have a user");
    }
    return address;
  }

  /** Without the address in the message, which may have a secret in it. */
  private static URI parsed(String destination) {
    try {
      return new URI(destination);
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException("the address is malformed: " + e.getReason());
    }
  }

  private String encoded(String name, String value) {
    if (name.equalsIgnoreCase(MessageFormat.CONTENT_TYPE)) {
      requireHeader(name, value);
      return value;
    }
    requireName(name);
    boolean cloudEvent = format.isCloudEvents() && name.startsWith(CLOUD_EVENTS_PREFIX);
    String encoded = Percent.encodeHeader(value, cloudEvent);
    requireHeader(name, encoded);
    return encoded;
  }

  /** Without the value in the message: it may be a secret. */
  static void requireHeader(String name, String value) {
    requireName(name);
    boolean printable = value.chars().allMatch(c -> c == '\t' || (c >= ' ' && c < 0x7f));
    if (!printable) {
      throw new IllegalArgumentException(
          "the value of header '" + name + "' has a character that HTTP does not allow");
    }
  }

  private static void requireName(String name) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException("'" + printable(name) + "' is no name of a header");
    }
  }

  private static String printable(String name) {
    return name.replaceAll("\\p{Cntrl}", "?");
  }
}
