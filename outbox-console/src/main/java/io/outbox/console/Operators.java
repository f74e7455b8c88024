package io.outbox.console;

import io.outbox.operate.OutboxOperator;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;

/** Checks of the settings that every console has. */
final class Operators {

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");
  private static final Duration SHORTEST = Duration.ofMillis(200);
  private static final Duration LONGEST = Duration.ofMinutes(10);

  private Operators() {}

  static void add(Map<String, OutboxOperator> operators, String name, OutboxOperator operator) {
    Objects.requireNonNull(operator, "operator");
    if (!NAME.matcher(Objects.requireNonNull(name, "name")).matches()) {
      throw new IllegalArgumentException(
          "the name of an outbox has up to 64 letters, digits, dots, dashes and underscores, but"
              + " is '"
              + name
              + "'");
    }
    if (operators.putIfAbsent(name, operator) != null) {
      throw new IllegalArgumentException("there are two outboxes '" + name + "'");
    }
  }

  static void requireSome(Map<String, OutboxOperator> operators) {
    if (operators.isEmpty()) {
      throw new IllegalStateException("the console has no outbox to show: add one with operator()");
    }
  }

  static void requireKnown(Map<String, OutboxOperator> operators, Set<String> archives) {
    for (String name : archives) {
      if (!operators.containsKey(name)) {
        throw new IllegalStateException(
            "there is an archive '" + name + "', but no operator of that name");
      }
    }
  }

  static Duration refreshInterval(Duration value) {
    Objects.requireNonNull(value, "refreshInterval");
    if (value.compareTo(SHORTEST) < 0 || value.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "refreshInterval must be between 200 ms and 10 minutes, but is " + value);
    }
    return value;
  }
}
