package io.outbox.relay;

import io.outbox.relay.yaml.Section;
import io.outbox.relay.yaml.Values;

/**
 * The section {@code http}: where health and metrics are.
 *
 * @param port 0 for any that is free
 */
record HttpConfig(boolean enabled, String host, int port) {

  static HttpConfig read(Section section) {
    Values values = Values.of(section);
    String host = section.text("host");
    HttpConfig http =
        new HttpConfig(
            values.flag("enabled", true),
            host == null ? "127.0.0.1" : host,
            values.integer("port", 8090, 0, 65_535));
    section.done();
    return http;
  }
}
