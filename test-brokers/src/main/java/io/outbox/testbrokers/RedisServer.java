package io.outbox.testbrokers;

import java.net.URI;
import java.util.List;
import java.util.Map;

/**
 * A Redis: the one that {@code OUTBOX_TEST_REDIS_URL} names, else one of our own. Others may use it
 * too: take names of your own.
 */
public final class RedisServer {

  private static final SharedServer SERVER =
      new SharedServer(
          "Redis",
          "OUTBOX_TEST_REDIS_URL",
          "redis-server",
          6379,
          program -> {
            ServerProcess process = ServerProcess.prepare("redis");
            process.start(
                List.of(
                    program.toString(),
                    "--port",
                    Integer.toString(process.port()),
                    "--bind",
                    "127.0.0.1",
                    "--dir",
                    process.directory().toString(),
                    "--save",
                    "",
                    "--appendonly",
                    "no"),
                Map.of(),
                ":");
            return URI.create("redis://127.0.0.1:" + process.port());
          });

  private RedisServer() {}

  /** Its address, with host and port; ends the test if there is none. */
  public static URI uri() {
    return SERVER.uri();
  }
}
