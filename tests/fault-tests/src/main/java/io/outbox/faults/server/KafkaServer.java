package io.outbox.faults.server;

import io.outbox.AsyncEventListener;
import io.outbox.faults.node.NodeSettings;
import io.outbox.it.ChildJvm;
import io.outbox.kafka.KafkaPublisher;
import io.outbox.testbrokers.KafkaBroker;
import io.outbox.testdb.Ports;
import io.outbox.testing.Await;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** One Kafka broker in a separate JVM, with a topic of one partition. */
public final class KafkaServer implements Broker {

  private static final String TOPIC = "events";
  private static final String READY = "Kafka is up";
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final Duration PUBLISHING = Duration.ofSeconds(5);

  private final Path directory = TemporaryFolder.create("kafka");
  private final int port = Ports.unused();
  private int starts;
  private ChildJvm jvm;

  public KafkaServer() throws Exception {
    restart();
    try (Admin admin = Admin.create(client())) {
      admin
          .createTopics(List.of(new NewTopic(TOPIC, 1, (short) 1)))
          .all()
          .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }
  }

  private Map<String, Object> client() {
    return Map.of("bootstrap.servers", "127.0.0.1:" + port);
  }

  @Override
  public NodeSettings settings(NodeSettings node) {
    return node.with("broker", "kafka").with("brokerAddress", "127.0.0.1:" + port);
  }

  /** In a node. */
  public static AsyncEventListener publisher(NodeSettings settings) {
    return KafkaPublisher.builder()
        .bootstrapServers(settings.get("brokerAddress"))
        .destination(event -> TOPIC)
        .maxBlock(PUBLISHING)
        .deliveryTimeout(PUBLISHING)
        .build();
  }

  @Override
  public void kill() throws InterruptedException {
    jvm.kill();
  }

  @Override
  public void restart() throws IOException {
    Path log = directory.resolve("log-" + ++starts);
    Path data = Files.createDirectories(directory.resolve("data"));
    jvm = new ChildJvm(Main.class, log, List.of(data.toString(), Integer.toString(port)));
    Await.until(
        () -> "Kafka; its log:\n" + jvm.output(), PATIENCE, () -> jvm.output().contains(READY));
  }

  @Override
  public Set<String> received() {
    Set<String> ids = new HashSet<>();
    TopicPartition partition = new TopicPartition(TOPIC, 0);
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(client(), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      consumer.assign(List.of(partition));
      consumer.seekToBeginning(List.of(partition));
      long end = consumer.endOffsets(List.of(partition)).get(partition);
      while (consumer.position(partition) < end) {
        consumer.poll(Duration.ofSeconds(1)).forEach(record -> ids.add(eventId(record)));
      }
    }
    return ids;
  }

  private static String eventId(ConsumerRecord<byte[], byte[]> message) {
    return new String(
        message.headers().lastHeader("outbox-event-id").value(), StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    jvm.close();
    TemporaryFolder.delete(directory);
  }

  /** The broker's own JVM. */
  public static final class Main {

    private Main() {}

    public static void main(String[] args) throws Exception {
      KafkaBroker.start(Path.of(args[0]), Integer.parseInt(args[1]));
      System.out.println(READY);
      ChildJvm.awaitEnd();
      Runtime.getRuntime().halt(0);
    }
  }
}
