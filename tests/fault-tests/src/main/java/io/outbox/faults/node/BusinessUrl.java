package io.outbox.faults.node;

/** The address for an application's own transactions: its calls of the database are bounded. */
public final class BusinessUrl {

  private static final int SECONDS = 5;

  private BusinessUrl() {}

  public static String of(String url) {
    String bound =
        url.startsWith("jdbc:postgresql:")
            ? "socketTimeout=" + SECONDS + "&connectTimeout=" + SECONDS
            : "socketTimeout=" + 1000 * SECONDS + "&connectTimeout=" + 1000 * SECONDS;
    return url + (url.contains("?") ? "&" : "?") + bound;
  }
}
