package io.outbox.console.internal.http;

import java.math.BigInteger;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

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
      String decoded = URLDecoder.decode(text, StandardCharsets.UTF_8);
      if (decoded.indexOf('\uFFFD') < 0 || text.toUpperCase(Locale.ROOT).contains("%EF%BF%BD")) {
        return decoded;
      }
    } catch (IllegalArgumentException e) {
      // said below
    }
    throw HttpFailure.badRequest("The address has a % that encodes nothing, or no UTF-8.");
  }

  public Set<String> names() {
    return values.keySet();
  }

  /** The value of this name, of which there may be one only; null if there is none. */
  public String get(String name) {
    requireOne(name);
    List<String> all = values.getOrDefault(name, List.of());
    return all.isEmpty() ? null : all.get(0);
  }

  /** Refuses other names. */
  public void requireOnly(String... known) {
    for (String name : names()) {
      if (!List.of(known).contains(name)) {
        throw HttpFailure.badRequest(
            "There is no parameter '" + name + "' here, only " + List.of(known) + ".");
      }
    }
  }

  /** All values of this name, also those between commas; none of them may be empty. */
  public List<String> all(String name) {
    List<String> all =
        values.getOrDefault(name, List.of()).stream()
            .flatMap(value -> Stream.of(value.split(",", -1)))
            .toList();
    if (all.contains("")) {
      throw HttpFailure.badRequest("'" + name + "' has a comma without a value beside it.");
    }
    return all;
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

  /** A whole number, from {@code min} to {@code max}; others are refused. */
  public int number(String name, int otherwise, int min, int max) {
    String value = get(name);
    return value == null ? otherwise : (int) number(name, value, min, max);
  }

  /** The id of something that is counted, from 1; null if there is none. */
  public Long counted(String name) {
    String value = get(name);
    return value == null ? null : number(name, value, 1, Long.MAX_VALUE);
  }

  private static long number(String name, String value, long min, long max) {
    if (value.matches("\\d{1,19}")) {
      BigInteger number = new BigInteger(value);
      if (number.compareTo(BigInteger.valueOf(min)) >= 0
          && number.compareTo(BigInteger.valueOf(max)) <= 0) {
        return number.longValue();
      }
    }
    throw HttpFailure.badRequest(
        "'" + name + "' must be a whole number from " + min + " to " + max + ".");
  }
}
