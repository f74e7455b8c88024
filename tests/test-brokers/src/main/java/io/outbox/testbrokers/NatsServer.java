package io.outbox.testbrokers;

import java.net.URI;
import java.util.List;
import java.util.Map;

/**
 * A NATS with JetStream: the one that {@code OUTBOX_TEST_NATS_URL} names, else one of our own.
 * Others may use it too: take names of your own.
 */
public final class NatsServer {

  private static final SharedServer SERVER =
      new SharedServer(
          "NATS",
          "OUTBOX_TEST_NATS_URL",
          "nats-server",
          4222,
          program -> {
            ServerProcess process = ServerProcess.prepare("nats");
            process.start(
                List.of(
                    program.toString(),
                    "-a",
                    "127.0.0.1",
                    "-p",
                    Integer.toString(process.port()),
                    "-js",
                    "-sd",
                    process.directory().toString()),
                Map.of(),
                ":");
            return URI.create("nats://127.0.0.1:" + process.port());
          });

  private NatsServer() {}

  /** Its address, with host and port; ends the test if there is none. */
  public static URI uri() {
    return SERVER.uri();
  }
}
