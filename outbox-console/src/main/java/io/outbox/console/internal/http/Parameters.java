package io.outbox.console.internal.http;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Names and values as they stand behind the question mark of an address. */
public final class Parameters {

  private static final int MAX_LENGTH = 8 * 1024;

  private final Map<String, List<String>> values = new LinkedHashMap<>();

  private Parameters() {}

  /** Reads {@code a=1&b=2}; null is none at all. */
  public static Parameters parse(String raw) {
    Parameters parameters = new Parameters();
    if (raw == null || raw.isEmpty()) {
      return parameters;
    }
    if (raw.length() > MAX_LENGTH) {
      throw new HttpFailure(414, "The address is too long: shorten what you search for.");
    }
    for (String pair : raw.split("&")) {
      int equals = pair.indexOf('=');
      String name = equals < 0 ? pair : pair.substring(0, equals);
      String value = equals < 0 ? "" : pair.substring(equals + 1);
      if (!name.isEmpty()) {
        parameters.values.computeIfAbsent(decode(name), n -> new ArrayList<>()).add(decode(value));
      }
    }
    return parameters;
  }

  private static String decode(String text) {
    try {
      return URLDecoder.decode(text, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw HttpFailure.badRequest("The address has a % that encodes nothing: " + text);
    }
  }

  public Set<String> names() {
    return values.keySet();
  }

  /** The last value of this name; null if there is none, or it is empty. */
  public String get(String name) {
    List<String> all = values.get(name);
    String last = all == null ? "" : all.get(all.size() - 1);
    return last.isEmpty() ? null : last;
  }

  /** All values of this name, also those between commas. */
  public List<String> all(String name) {
    return values.getOrDefault(name, List.of()).stream()
        .flatMap(value -> List.of(value.split(",")).stream())
        .filter(value -> !value.isEmpty())
        .toList();
  }

  /** Refuses what is there, but empty, or there more than once. */
  public void requireOne(String name) {
    List<String> all = values.getOrDefault(name, List.of());
    if (all.size() > 1 || all.contains("")) {
      throw HttpFailure.badRequest(
          "'"
              + name
              + "' must have one value, or be left out; several statuses stand with commas.");
    }
  }

  public String required(String name) {
    String value = get(name);
    if (value == null) {
      throw HttpFailure.badRequest("The parameter '" + name + "' is missing.");
    }
    return value;
  }

  /** A whole number, from {@code min} to {@code max}. */
  public int number(String name, int otherwise, int min, int max) {
    String value = get(name);
    if (value == null) {
      return otherwise;
    }
    try {
      return Math.max(min, Math.min(max, Integer.parseInt(value)));
    } catch (NumberFormatException e) {
      throw HttpFailure.badRequest("'" + name + "' must be a whole number, not '" + value + "'.");
    }
  }
}
