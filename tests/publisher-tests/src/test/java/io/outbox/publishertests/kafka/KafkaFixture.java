package io.outbox.publishertests.kafka;

import io.outbox.AsyncEventListener;
import io.outbox.EventEnvelope;
import io.outbox.kafka.KafkaPublisher;
import io.outbox.testbrokers.KafkaBroker;
import io.outbox.testbrokers.PublisherFixture;
import io.outbox.testbrokers.ReceivedMessage;
import io.outbox.testbrokers.TcpProxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** A topic of four partitions, and its consumer. */
final class KafkaFixture implements PublisherFixture {

  private static final int PARTITIONS = 4;

  private final KafkaBroker broker = KafkaBroker.shared();
  private final String topic = "orders-" + UUID.randomUUID();
  private final KafkaConsumer<byte[], byte[]> consumer;
  private final KafkaPublisher publisher;

  KafkaFixture() throws Exception {
    this(KafkaPublisher.builder());
  }

  KafkaFixture(KafkaPublisher.Builder builder) throws Exception {
    createTopic(topic);
    publisher =
        builder
            .bootstrapServers(broker.proxiedServers())
            .destination(event -> event.eventType().equals(NOWHERE) ? topic + "-missing" : topic)
            .build();
    consumer = consumer(topic);
  }

  static void createTopic(String name) throws Exception {
    createTopic(new NewTopic(name, PARTITIONS, (short) 1));
  }

  static void createTopic(NewTopic topic) throws Exception {
    try (Admin admin = Admin.create(direct())) {
      admin.createTopics(List.of(topic)).all().get(30, TimeUnit.SECONDS);
    }
  }

  static KafkaConsumer<byte[], byte[]> consumer(String topic) {
    KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(direct(), new ByteArrayDeserializer(), new ByteArrayDeserializer());
    List<TopicPartition> partitions =
        IntStream.range(0, PARTITIONS).mapToObj(i -> new TopicPartition(topic, i)).toList();
    consumer.assign(partitions);
    consumer.seekToBeginning(partitions);
    return consumer;
  }

  private static Map<String, Object> direct() {
    return Map.of("bootstrap.servers", KafkaBroker.shared().bootstrapServers());
  }

  String topic() {
    return topic;
  }

  KafkaPublisher kafkaPublisher() {
    return publisher;
  }

  @Override
  public AsyncEventListener publisher() {
    return publisher;
  }

  @Override
  public TcpProxy proxy() {
    return broker.proxy();
  }

  @Override
  public List<ReceivedMessage> receive() {
    List<ReceivedMessage> messages = new ArrayList<>();
    consumer.poll(Duration.ofMillis(200)).forEach(record -> messages.add(message(record)));
    return messages;
  }

  static ReceivedMessage message(ConsumerRecord<byte[], byte[]> record) {
    Map<String, String> headers = new LinkedHashMap<>();
    record.headers().forEach(header -> headers.put(header.key(), text(header.value())));
    return new ReceivedMessage(text(record.key()), headers, record.value());
  }

  private static String text(byte[] bytes) {
    return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
  }

  /** Larger than {@code max.request.size}, which is as much as an event may have. */
  @Override
  public EventEnvelope rejected() {
    return EventEnvelope.builder("TooLarge")
        .payloadBytes(new byte[EventEnvelope.MAX_PAYLOAD_BYTES], "application/octet-stream")
        .build();
  }

  @Override
  public Missing missing() {
    String name = topic + "-missing";
    return new Missing() {
      @Override
      public void create() throws Exception {
        createTopic(name);
      }

      @Override
      public long arrived() {
        try (KafkaConsumer<byte[], byte[]> reader = consumer(name)) {
          return reader.endOffsets(reader.assignment()).values().stream()
              .mapToLong(Long::longValue)
              .sum();
        }
      }
    };
  }

  @Override
  public boolean carriesKeys() {
    return true;
  }

  @Override
  public void close() {
    broker.proxy().restore();
    publisher.close();
    consumer.close();
  }
}
