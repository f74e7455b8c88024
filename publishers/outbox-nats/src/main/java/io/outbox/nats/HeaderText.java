package io.outbox.nats;

import io.nats.client.impl.Headers;
import io.outbox.UnrecoverableException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Headers as NATS takes them: ASCII in one line. Values that are more than that are
 * percent-encoded, as UTF-8, and {@value #ENCODED} names their headers. The attributes of
 * CloudEvents are encoded by the rule of CloudEvents, which their readers know.
 */
final class HeaderText {

  static final String ENCODED = "outbox-encoded-headers";
  static final String CLOUD_EVENTS_PREFIX = "ce-";

  private HeaderText() {}

  /**
   * The headers of a message.
   *
   * @throws UnrecoverableException if NATS cannot carry a name
   */
  static Headers of(Map<String, String> values, boolean cloudEvents) {
    Headers headers = new Headers();
    List<String> encoded = new ArrayList<>();
    values.forEach(
        (name, value) -> {
          checkName(name);
          if (cloudEvents && name.startsWith(CLOUD_EVENTS_PREFIX)) {
            headers.put(name, encode(value, true));
          } else if (isPlain(value)) {
            headers.put(name, value);
          } else {
            headers.put(name, encode(value, false));
            encoded.add(name);
          }
        });
    headers.remove(ENCODED); // an event's own would be taken for ours
    if (!encoded.isEmpty()) {
      headers.put(ENCODED, String.join(",", encoded));
    }
    return headers;
  }

  private static void checkName(String name) {
    boolean valid =
        !name.isEmpty() && name.chars().allMatch(c -> c > ' ' && c < 127 && c != ':' && c != ',');
    if (!valid) {
      throw new UnrecoverableException("NATS cannot carry a header named '" + name + "'");
    }
  }

  /** Readers remove spaces around a value. */
  private static boolean isPlain(String value) {
    return value.chars().allMatch(c -> c >= ' ' && c < 127)
        && !value.startsWith(" ")
        && !value.endsWith(" ");
  }

  /** Percent-encodes what has to be, and the percent sign itself. */
  static String encode(String value, boolean cloudEvents) {
    StringBuilder text = new StringBuilder(value.length() + 16);
    byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < bytes.length; i++) {
      int c = bytes[i] & 0xff;
      boolean edge = i == 0 || i == bytes.length - 1;
      boolean plain = c > ' ' && c < 127 && c != '%' && !(cloudEvents && c == '"');
      if (plain || (c == ' ' && !cloudEvents && !edge)) {
        text.append((char) c);
      } else {
        text.append('%')
            .append(Character.toUpperCase(Character.forDigit(c >> 4, 16)))
            .append(Character.toUpperCase(Character.forDigit(c & 15, 16)));
      }
    }
    return text.toString();
  }
}
