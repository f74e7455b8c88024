package io.outbox.relay.yaml;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Values that must not be shown, and text without them. Thread-safe. */
public final class Secrets {

  static final String MASK = "***";

  /** Shorter ones protect nothing, and to hide them would make any text unreadable. */
  private static final int SHORTEST = 3;

  private static final Pattern USER_INFO = Pattern.compile("(://)(?:([^:/@\\s]*):)?([^/@\\s]*)@");
  private static final Pattern PARAMETER =
      Pattern.compile(
          "([?&;][^=?&;\\s]*(?:password|secret|token)[^=?&;\\s]*=)([^&;\\s]*)",
          Pattern.CASE_INSENSITIVE);
  private static final List<String> TELLING =
      List.of("password", "secret", "token", "credential", "jaas", "authorization", "key.pem");

  private final Set<String> values = ConcurrentHashMap.newKeySet();

  /** Hides this value from now on. */
  public void add(String value) {
    if (value != null && value.strip().length() >= SHORTEST) {
      values.add(value.strip());
    }
  }

  /** Hides the passwords of an address from now on, also where they stand alone. */
  void addThoseOf(String address) {
    Matcher userInfo = USER_INFO.matcher(address);
    while (userInfo.find()) {
      add(userInfo.group(3));
    }
    Matcher parameter = PARAMETER.matcher(address);
    while (parameter.find()) {
      add(parameter.group(2));
    }
  }

  /** Whether the name of a setting says that its value is a secret. */
  static boolean isNameOfSecret(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    return TELLING.stream().anyMatch(lower::contains);
  }

  /** The text without secrets, known ones and passwords in addresses. */
  public String redact(String text) {
    if (text == null) {
      return null;
    }
    String redacted = text;
    // The longest first: one may be part of another.
    for (String value :
        values.stream().sorted(Comparator.comparingInt(String::length).reversed()).toList()) {
      redacted = redacted.replace(value, MASK);
    }
    redacted = USER_INFO.matcher(redacted).replaceAll(Secrets::withoutPassword);
    return PARAMETER
        .matcher(redacted)
        .replaceAll(match -> Matcher.quoteReplacement(match.group(1) + MASK));
  }

  private static String withoutPassword(java.util.regex.MatchResult match) {
    String user = match.group(2) == null ? "" : match.group(2) + ":";
    return Matcher.quoteReplacement(match.group(1) + user + MASK + "@");
  }
}
