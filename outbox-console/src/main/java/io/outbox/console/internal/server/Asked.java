package io.outbox.console.internal.server;

import io.outbox.console.internal.http.HttpFailure;
import io.outbox.console.internal.http.Request;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.util.List;

/** A whole request that came through Jetty. */
record Asked(org.eclipse.jetty.server.Request request, byte[] content) implements Request {

  @Override
  public String method() {
    return request.getMethod();
  }

  @Override
  public String path() {
    String path = request.getHttpURI().getCanonicalPath();
    return path == null ? "" : path;
  }

  @Override
  public String rawQuery() {
    return request.getHttpURI().getQuery();
  }

  @Override
  public String header(String name) {
    List<String> values = request.getHeaders().getValuesList(name);
    if (values.size() > 1 && !name.equals("X-Forwarded-For")) {
      throw HttpFailure.badRequest("The header " + name + " is there more than once.");
    }
    return values.isEmpty() ? null : String.join(",", values);
  }

  @Override
  public String remoteAddress() {
    return org.eclipse.jetty.server.Request.getRemoteAddr(request);
  }

  @Override
  public InputStream body() {
    return new ByteArrayInputStream(content);
  }
}
