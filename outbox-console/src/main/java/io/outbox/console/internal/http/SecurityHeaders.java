package io.outbox.console.internal.http;

import java.util.LinkedHashMap;
import java.util.Map;

/** What every answer tells the browser not to do. */
public final class SecurityHeaders {

  /** Scripts and styles from the console only; nothing becomes HTML (trusted types). */
  static final String CONTENT_SECURITY_POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
          + " base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
          + " require-trusted-types-for 'script'; trusted-types 'none'";

  private static final Map<String, String> HEADERS = headers();

  private SecurityHeaders() {}

  private static Map<String, String> headers() {
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("Content-Security-Policy", CONTENT_SECURITY_POLICY);
    headers.put("X-Content-Type-Options", "nosniff");
    headers.put("X-Frame-Options", "DENY");
    headers.put("Referrer-Policy", "no-referrer");
    headers.put("Cross-Origin-Opener-Policy", "same-origin");
    headers.put("Cross-Origin-Resource-Policy", "same-origin");
    return headers;
  }

  public static Response addTo(Response response) {
    Response result = response;
    for (Map.Entry<String, String> header : HEADERS.entrySet()) {
      result = result.with(header.getKey(), header.getValue());
    }
    return result;
  }
}
