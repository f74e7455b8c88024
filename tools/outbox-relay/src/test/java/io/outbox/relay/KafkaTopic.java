package io.outbox.relay;

import io.outbox.testbrokers.KafkaBroker;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.StringDeserializer;

/** A topic of its own, and all that arrives there. */
final class KafkaTopic implements AutoCloseable {

  private static final int PARTITIONS = 4;

  private final String name = "relay-" + UUID.randomUUID();
  private final List<ConsumerRecord<String, String>> records = new CopyOnWriteArrayList<>();
  private final Set<String> ids = ConcurrentHashMap.newKeySet();
  private final Thread reader = new Thread(this::read, "kafka-topic");
  private volatile boolean closed;

  KafkaTopic() throws Exception {
    try (Admin admin = Admin.create(settings())) {
      admin
          .createTopics(List.of(new NewTopic(name, PARTITIONS, (short) 1)))
          .all()
          .get(30, TimeUnit.SECONDS);
    }
    reader.setDaemon(true);
    reader.start();
  }

  private static Map<String, Object> settings() {
    return Map.of("bootstrap.servers", KafkaBroker.shared().bootstrapServers());
  }

  private void read() {
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(settings(), new StringDeserializer(), new StringDeserializer())) {
      List<TopicPartition> partitions =
          IntStream.range(0, PARTITIONS).mapToObj(i -> new TopicPartition(name, i)).toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      while (!closed) {
        List<ConsumerRecord<String, String>> polled = new ArrayList<>();
        consumer.poll(Duration.ofMillis(100)).forEach(polled::add);
        records.addAll(polled);
        polled.forEach(one -> ids.add(header(one, "outbox-event-id")));
      }
    }
  }

  static String header(ConsumerRecord<String, String> message, String name) {
    Header header = message.headers().lastHeader(name);
    return header == null ? null : new String(header.value(), StandardCharsets.UTF_8);
  }

  String name() {
    return name;
  }

  /** Everything, in the order of each partition. */
  List<ConsumerRecord<String, String>> records() {
    return List.copyOf(records);
  }

  /** Of the events that have arrived, once or more. */
  Set<String> ids() {
    return ids;
  }

  @Override
  public void close() throws InterruptedException {
    closed = true;
    reader.join(10_000);
  }
}
