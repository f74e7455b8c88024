package io.outbox.testbrokers;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A Redis: the one that {@code OUTBOX_TEST_REDIS_URL} names, else one of our own. Others may use it
 * too: take names of your own.
 */
public final class RedisServer {

  private static final String PROGRAM = "redis-server";
  private static final SharedServer SERVER =
      new SharedServer("Redis", "OUTBOX_TEST_REDIS_URL", PROGRAM, 6379, RedisServer::start);

  private RedisServer() {}

  /** Its address, with host and port; ends the test if there is none. */
  public static URI uri() {
    return SERVER.uri();
  }

  /** The address of one that nobody else uses, to do as one likes; it ends with this JVM. */
  public static URI startOwn() {
    return start(
        Programs.find(PROGRAM)
            .orElseThrow(
                () -> LeftOut.because("Redis in trouble", "no " + PROGRAM + " is on the PATH")));
  }

  private static URI start(Path program) {
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
  }
}
