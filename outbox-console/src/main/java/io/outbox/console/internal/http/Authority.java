package io.outbox.console.internal.http;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A host and a port as they stand in a Host header or an origin, and nothing else: no user, no
 * path, no space.
 *
 * @param host in lower case; an address of IPv6 in brackets
 * @param port -1 if there is none
 */
record Authority(String host, int port) {

  private static final Pattern FORM =
      Pattern.compile(
          "([A-Za-z0-9._-]{1,255}|\\[[0-9A-Fa-f:.]+(?:%[A-Za-z0-9._~-]+)?\\])(?::(\\d{1,5}))?");

  /** Empty if it is anything else. */
  static Optional<Authority> parse(String text) {
    Matcher form = FORM.matcher(text == null ? "" : text);
    if (!form.matches()) {
      return Optional.empty();
    }
    int port = form.group(2) == null ? -1 : Integer.parseInt(form.group(2));
    return port > 65_535
        ? Optional.empty()
        : Optional.of(new Authority(form.group(1).toLowerCase(Locale.ROOT), port));
  }

  /** The same with the port that the scheme implies. */
  Authority of(String scheme) {
    return port >= 0 ? this : new Authority(host, scheme.equals("https") ? 443 : 80);
  }
}
