package io.outbox.testbrokers;

import io.outbox.testdb.Ports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A RabbitMQ: the one that {@code OUTBOX_TEST_RABBITMQ_URL} names, else one of our own. Others may
 * use it too: take names of your own.
 */
public final class RabbitServer {

  private static final SharedServer SERVER =
      new SharedServer(
          "RabbitMQ", "OUTBOX_TEST_RABBITMQ_URL", "rabbitmq-server", 5672, RabbitServer::start);

  private RabbitServer() {}

  /** Its address, with user, password, host and port; ends the test if there is none. */
  public static URI uri() {
    return SERVER.uri();
  }

  private static URI start(Path program) {
    ServerProcess process = ServerProcess.prepare("rabbitmq");
    start(process, program, Ports.unused());
    return uri(process);
  }

  static URI uri(ServerProcess process) {
    return URI.create("amqp://guest:guest@127.0.0.1:" + process.port());
  }

  /**
   * @param epmd the port of Erlang's port mapper
   */
  static void start(ServerProcess process, Path program, int epmd) {
    try {
      // Erlang's port mapper is a daemon and would stay.
      process.start(
          List.of(Programs.withoutWrapper(program, "rabbitmq-script-wrapper").toString()),
          environment(process, epmd),
          "epmd -port " + epmd + " -kill");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Everything that RabbitMQ would otherwise put into places of the system. */
  private static Map<String, String> environment(ServerProcess process, int epmd) {
    String directory = process.directory().toString();
    Map<String, String> environment = new HashMap<>();
    environment.put("HOME", directory);
    environment.put("ERL_EPMD_PORT", Integer.toString(epmd));
    environment.put("ERL_EPMD_ADDRESS", "127.0.0.1");
    environment.put("RABBITMQ_NODENAME", "outbox-" + process.port() + "@localhost");
    environment.put("RABBITMQ_NODE_IP_ADDRESS", "127.0.0.1");
    environment.put("RABBITMQ_NODE_PORT", Integer.toString(process.port()));
    environment.put("RABBITMQ_DIST_PORT", Integer.toString(Ports.unused()));
    environment.put("RABBITMQ_CONF_ENV_FILE", directory + "/none.conf");
    environment.put("RABBITMQ_CONFIG_FILE", directory + "/rabbitmq");
    environment.put("RABBITMQ_ADVANCED_CONFIG_FILE", directory + "/advanced.config");
    environment.put("RABBITMQ_ENABLED_PLUGINS_FILE", directory + "/enabled_plugins");
    environment.put("RABBITMQ_GENERATED_CONFIG_DIR", directory + "/config");
    environment.put("RABBITMQ_SCHEMA_DIR", directory + "/schema");
    environment.put("RABBITMQ_MNESIA_BASE", directory + "/mnesia");
    environment.put("RABBITMQ_LOG_BASE", directory + "/log");
    environment.put("RABBITMQ_PID_FILE", directory + "/pid");
    environment.put(
        "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS", "-kernel inet_dist_use_interface {127,0,0,1}");
    return environment;
  }
}
