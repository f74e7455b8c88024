package io.outbox.console.internal.live;

import com.google.gson.JsonElement;
import java.nio.charset.StandardCharsets;

/** An event of a stream, rendered once for all who read it. */
final class Message {

  /** Shows a proxy, and a connection that broke, that somebody is here. */
  static final byte[] HEARTBEAT = ": \n\n".getBytes(StandardCharsets.UTF_8);

  private Message() {}

  /** JSON has no line breaks here: they would end the message. */
  static byte[] of(String name, JsonElement data) {
    return ("event: " + name + "\ndata: " + data + "\n\n").getBytes(StandardCharsets.UTF_8);
  }
}
