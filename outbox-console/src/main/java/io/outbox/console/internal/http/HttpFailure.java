package io.outbox.console.internal.http;

/** Ends a request with a status and a message for people that says what to do. */
public final class HttpFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int status;

  public HttpFailure(int status, String message) {
    super(message);
    this.status = status;
  }

  public static HttpFailure badRequest(String message) {
    return new HttpFailure(400, message);
  }

  public static HttpFailure notFound(String message) {
    return new HttpFailure(404, message);
  }

  public int status() {
    return status;
  }
}
