package io.outbox.samples.subscriptions;

import io.outbox.testbrokers.KafkaBroker;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;

/** A topic in a Kafka that runs in this JVM. */
final class Topic implements AutoCloseable {

  private static final int PARTITIONS = 3;
  private static final long PATIENCE_SECONDS = 30;

  private final String bootstrapServers;
  private final String name;
  private final Admin admin;

  private Topic(String bootstrapServers, String name) {
    this.bootstrapServers = bootstrapServers;
    this.name = name;
    this.admin = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers));
  }

  static Topic create() throws Exception {
    Topic topic = new Topic(KafkaBroker.shared().bootstrapServers(), "orders-" + System.nanoTime());
    topic
        .admin
        .createTopics(List.of(new NewTopic(topic.name, PARTITIONS, (short) 1)))
        .all()
        .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    return topic;
  }

  String bootstrapServers() {
    return bootstrapServers;
  }

  String name() {
    return name;
  }

  /** How many messages it has. */
  int messages() throws Exception {
    long messages = 0;
    for (int partition = 0; partition < PARTITIONS; partition++) {
      TopicPartition of = new TopicPartition(name, partition);
      messages +=
          admin
              .listOffsets(Map.of(of, OffsetSpec.latest()))
              .partitionResult(of)
              .get(PATIENCE_SECONDS, TimeUnit.SECONDS)
              .offset();
    }
    return Math.toIntExact(messages);
  }

  @Override
  public void close() {
    admin.close();
  }
}
