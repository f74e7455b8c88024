package io.outbox.relay.broker;

import io.outbox.EventEnvelope;
import io.outbox.kafka.KafkaPublisher;
import io.outbox.relay.yaml.Section;
import io.outbox.relay.yaml.Values;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** Kafka; a destination is a topic. */
final class KafkaTarget extends Broker {

  private static final Pattern TOPIC = Pattern.compile("[a-zA-Z0-9._-]{1,249}");
  private static final Duration MILLISECOND = Duration.ofMillis(1);
  private static final int LOOKUP_MILLIS = 5_000;

  private final List<String> servers;
  private final Map<String, String> properties;
  private final Duration maxBlock;
  private final Duration deliveryTimeout;

  KafkaTarget(CommonSettings common, Section section) {
    super(common);
    this.servers = servers(section);
    this.properties = section.properties("properties");
    Values values = Values.of(section);
    this.maxBlock = values.duration("max-block", Duration.ofSeconds(2), MILLISECOND);
    this.deliveryTimeout = values.duration("delivery-timeout", Duration.ofSeconds(10), MILLISECOND);
  }

  private static List<String> servers(Section section) {
    List<String> servers =
        section.texts("bootstrap-servers").stream()
            .flatMap(text -> Arrays.stream(text.split(",")))
            .map(String::strip)
            .toList();
    if (servers.isEmpty()) {
      section.problem(
          "bootstrap-servers",
          "'bootstrap-servers' is missing: where Kafka is, such as kafka.example.com:9092");
    }
    servers.stream()
        .filter(server -> HostPorts.of(server).isEmpty())
        .forEach(
            server ->
                section.problem("bootstrap-servers", "must be host:port, but is '" + server + "'"));
    return servers;
  }

  @Override
  public String place() {
    return "Kafka at " + String.join(",", servers);
  }

  @Override
  public String noun() {
    return "topic";
  }

  @Override
  String flaw(String topic) {
    if (topic.equals(".") || topic.equals("..")) {
      return "it consists of dots";
    }
    return TOPIC.matcher(topic).matches()
        ? null
        : "it may have letters, digits, '.', '_' and '-', up to 249";
  }

  @Override
  public OpenBroker open(Function<EventEnvelope, Target> targets) {
    return ReopeningKafka.open(
        () ->
            KafkaPublisher.builder()
                .producerConfig(properties)
                .bootstrapServers(String.join(",", servers))
                .maxBlock(maxBlock)
                .deliveryTimeout(deliveryTimeout)
                .destination(destinationOf(targets))
                .format(format())
                .build(),
        publisher -> deadLetters(publisher::deadLetters));
  }

  @Override
  public List<String> missing(Collection<String> topics) throws Exception {
    Map<String, Object> settings = new HashMap<>(properties);
    settings.put(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, String.join(",", servers));
    settings.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, LOOKUP_MILLIS);
    settings.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, LOOKUP_MILLIS);
    settings.keySet().retainAll(AdminClientConfig.configNames()); // without those of producers
    List<String> missing = new ArrayList<>();
    try (Admin admin = Admin.create(settings)) {
      var described = admin.describeTopics(topics).topicNameValues();
      for (String topic : topics) {
        try {
          described.get(topic).get();
        } catch (ExecutionException e) {
          if (!(e.getCause() instanceof UnknownTopicOrPartitionException
              || e.getCause() instanceof TopicAuthorizationException)) {
            throw e;
          }
          missing.add(topic + ": " + e.getCause().getMessage());
        }
      }
    }
    return missing;
  }

  @Override
  public List<InetSocketAddress> addresses(Collection<String> destinations) {
    return servers.stream().map(HostPorts::of).flatMap(Optional::stream).toList();
  }
}
