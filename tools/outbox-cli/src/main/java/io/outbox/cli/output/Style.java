package io.outbox.cli.output;

/** How a word looks on a terminal with colors. */
public enum Style {
  PLAIN(""),
  BOLD("1"),
  DIM("2"),
  RED("31"),
  GREEN("32"),
  YELLOW("33");

  private final String code;

  Style(String code) {
    this.code = code;
  }

  String apply(String text) {
    return this == PLAIN ? text : "\u001b[" + code + "m" + text + "\u001b[0m";
  }
}
