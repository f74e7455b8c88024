package io.outbox.samples.demo;

import java.io.PrintStream;
import java.util.Locale;

/** Writes the story, aligned, and in color on a terminal only. */
final class Narrator {

  private static final String BOLD = "\u001b[1m";
  private static final String GREEN = "\u001b[32m";
  private static final String PLAIN = "\u001b[0m";

  private final PrintStream out;
  private final boolean color;
  private int chapters;

  Narrator(PrintStream out, boolean color) {
    this.out = out;
    this.color = color;
  }

  void chapter(String title) {
    heading(++chapters + ". " + title);
  }

  void heading(String text) {
    out.println();
    out.println(in(BOLD, text));
  }

  void say(String text) {
    out.println("   " + text);
  }

  /** Something that happened as promised. */
  void fact(String what, String format, Object... values) {
    out.printf(
        "   %s %-22s %s%n", in(GREEN, "+"), what, String.format(Locale.ROOT, format, values));
  }

  private String in(String style, String text) {
    return color ? style + text + PLAIN : text;
  }

  /** A time span for people. */
  static String millis(long nanos) {
    return String.format(Locale.ROOT, nanos < 10_000_000 ? "%.2f ms" : "%,.0f ms", nanos / 1e6);
  }
}
