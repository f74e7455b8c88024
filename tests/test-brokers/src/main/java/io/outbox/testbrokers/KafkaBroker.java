package io.outbox.testbrokers;

import io.outbox.testdb.Ports;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.server.common.MetadataVersion;

/**
 * One Kafka broker in this JVM, which is its own controller. Topics are not made by themselves.
 * Clients reach it directly, or through a proxy, whose port it then tells them, too.
 */
public final class KafkaBroker {

  private static KafkaBroker shared;

  private final int direct;
  private final int proxied = Ports.unused();
  private final int controller = Ports.unused();
  private final TcpProxy proxy = TcpProxy.to("127.0.0.1", proxied);
  private final Path directory;
  private final KafkaRaftServer server;

  private KafkaBroker(Path directory, int port) throws Exception {
    this.directory = directory;
    this.direct = port;
    if (!Files.exists(directory.resolve("meta.properties"))) {
      format();
    }
    this.server = new KafkaRaftServer(KafkaConfig.fromProps(settings()), Time.SYSTEM);
    server.startup();
  }

  private void format() throws Exception {
    new Formatter()
        .setNodeId(1)
        .setClusterId(Uuid.randomUuid().toString())
        .setDirectories(List.of(directory.toString()))
        .setControllerListenerName("CONTROLLER")
        .setReleaseVersion(MetadataVersion.latestProduction())
        .setHasDynamicQuorum(false)
        .setPrintStream(new PrintStream(OutputStream.nullOutputStream()))
        .run();
  }

  /** A broker on a port and data of the caller's, which it may have left there before. */
  public static KafkaBroker start(Path directory, int port) {
    try {
      return new KafkaBroker(directory, port);
    } catch (Exception e) {
      throw new IllegalStateException("cannot start Kafka in " + directory, e);
    }
  }

  /** The broker of this JVM, started on first use. */
  public static synchronized KafkaBroker shared() {
    if (shared == null) {
      try {
        shared = new KafkaBroker(Files.createTempDirectory("outbox-test-kafka"), Ports.unused());
        Runtime.getRuntime().addShutdownHook(new Thread(shared::stop, "stop-kafka"));
      } catch (Exception e) {
        throw new IllegalStateException("cannot start Kafka in this JVM", e);
      }
    }
    return shared;
  }

  /** For clients that are not to notice the proxy. */
  public String bootstrapServers() {
    return "127.0.0.1:" + direct;
  }

  /** For clients that reach the broker through {@link #proxy()} only. */
  public String proxiedServers() {
    return "127.0.0.1:" + proxy.port();
  }

  public TcpProxy proxy() {
    return proxy;
  }

  private Properties settings() {
    Properties settings = new Properties();
    settings.setProperty("process.roles", "broker,controller");
    settings.setProperty("node.id", "1");
    settings.setProperty("controller.quorum.voters", "1@127.0.0.1:" + controller);
    settings.setProperty("controller.listener.names", "CONTROLLER");
    settings.setProperty("inter.broker.listener.name", "DIRECT");
    settings.setProperty(
        "listener.security.protocol.map",
        "DIRECT:PLAINTEXT,PROXIED:PLAINTEXT,CONTROLLER:PLAINTEXT");
    settings.setProperty(
        "listeners",
        "DIRECT://127.0.0.1:%d,PROXIED://127.0.0.1:%d,CONTROLLER://127.0.0.1:%d"
            .formatted(direct, proxied, controller));
    settings.setProperty(
        "advertised.listeners",
        "DIRECT://127.0.0.1:%d,PROXIED://127.0.0.1:%d".formatted(direct, proxy.port()));
    settings.setProperty("log.dirs", directory.toString());
    settings.setProperty("auto.create.topics.enable", "false");
    settings.setProperty("offsets.topic.num.partitions", "1");
    settings.setProperty("offsets.topic.replication.factor", "1");
    settings.setProperty("transaction.state.log.replication.factor", "1");
    settings.setProperty("transaction.state.log.min.isr", "1");
    settings.setProperty("share.coordinator.state.topic.replication.factor", "1");
    settings.setProperty("share.coordinator.state.topic.min.isr", "1");
    settings.setProperty("group.initial.rebalance.delay.ms", "0");
    settings.setProperty("log.cleaner.dedupe.buffer.size", "2097152");
    return settings;
  }

  private void stop() {
    try {
      server.shutdown();
      server.awaitShutdown();
    } finally {
      ServerProcess.delete(directory);
    }
  }
}
