package io.outbox.console.internal.api;

import java.util.Set;

/**
 * Where the console is, so that nobody takes one for another.
 *
 * @param name for example production; null if it has none
 * @param color how the page marks it; null for none
 */
public record Environment(String name, String color) {

  /** Those that are told apart in light and dark. */
  public static final Set<String> COLORS =
      Set.of("red", "orange", "yellow", "green", "blue", "purple", "gray");

  /** Without a name. */
  public static final Environment NONE = new Environment(null, null);

  public Environment {
    if (name != null && (name.isBlank() || name.length() > 40)) {
      throw new IllegalArgumentException("the name of an environment has 1 to 40 characters");
    }
    if (color != null && !COLORS.contains(color)) {
      throw new IllegalArgumentException(
          "the color of an environment is one of " + COLORS + ", but not " + color);
    }
  }
}
