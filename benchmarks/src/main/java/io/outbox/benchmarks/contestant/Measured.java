package io.outbox.benchmarks.contestant;

/**
 * An event as every contestant carries it.
 *
 * @param n its number, by which it is missed if it does not arrive
 * @param text what makes it as large as events are
 */
public record Measured(int n, String text) {

  /** An event of about {@code bytes} bytes. */
  public static Measured of(int n, int bytes) {
    return new Measured(n, "x".repeat(Math.max(0, bytes - 20)));
  }

  String toJson() {
    return "{\"n\":" + n + ",\"text\":\"" + text + "\"}";
  }

  /** The number in what {@link #toJson} wrote. */
  static int numberIn(String json) {
    int at = json.indexOf("\"n\":") + 4;
    int n = 0;
    for (char digit = json.charAt(at); digit >= '0' && digit <= '9'; digit = json.charAt(++at)) {
      n = n * 10 + digit - '0';
    }
    return n;
  }
}
