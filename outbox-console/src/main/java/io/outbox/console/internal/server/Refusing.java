package io.outbox.console.internal.server;

import com.google.gson.JsonObject;
import io.outbox.console.internal.http.Response;
import io.outbox.console.internal.http.SecurityHeaders;
import java.nio.ByteBuffer;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;

/** Answers what Jetty itself does not let through, or what went wrong, like everything else. */
final class Refusing extends ErrorHandler {

  @Override
  protected void generateResponse(
      Request request,
      org.eclipse.jetty.server.Response out,
      int code,
      String message,
      Throwable cause,
      Callback callback) {
    JsonObject json = new JsonObject();
    json.addProperty(
        "message",
        code < 500 ? "The request is not one of HTTP: " + message : "It went wrong; see the log.");
    Response.Whole answer = (Response.Whole) SecurityHeaders.addTo(Response.json(code, json));
    out.setStatus(code);
    answer.headers().forEach((name, value) -> out.getHeaders().put(name, value));
    out.write(true, ByteBuffer.wrap(answer.body()), callback);
  }
}
