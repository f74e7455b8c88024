package io.outbox.kafka;

import static org.apache.kafka.clients.producer.ProducerConfig.ACKS_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.BOOTSTRAP_SERVERS_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.MAX_BLOCK_MS_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.TRANSACTIONAL_ID_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

/** The settings of the publisher's own producer: the requested ones and the guaranteed ones. */
final class ProducerSettings {

  static final Duration MAX_BLOCK = Duration.ofSeconds(2);
  static final Duration DELIVERY_TIMEOUT = Duration.ofSeconds(10);

  private final Map<String, Object> given = new HashMap<>();

  void bootstrapServers(String value) {
    given.put(BOOTSTRAP_SERVERS_CONFIG, Objects.requireNonNull(value, "bootstrapServers"));
  }

  void putAll(Map<String, ?> values) {
    given.putAll(Objects.requireNonNull(values, "producerConfig"));
  }

  void maxBlock(Duration value) {
    given.put(MAX_BLOCK_MS_CONFIG, millis("maxBlock", value));
  }

  void deliveryTimeout(Duration value) {
    given.put(DELIVERY_TIMEOUT_MS_CONFIG, millis("deliveryTimeout", value));
  }

  private static int millis(String name, Duration value) {
    long millis = Objects.requireNonNull(value, name).toMillis();
    if (millis < 1 || millis > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(name + " must be at least a millisecond: " + value);
    }
    return (int) millis;
  }

  boolean isEmpty() {
    return given.isEmpty();
  }

  Collection<String> names() {
    return new TreeSet<>(given.keySet());
  }

  /** How long an answer can take. */
  Duration answerBound() {
    return Duration.ofMillis(
        number(MAX_BLOCK_MS_CONFIG, MAX_BLOCK)
            + number(DELIVERY_TIMEOUT_MS_CONFIG, DELIVERY_TIMEOUT)
            + 1_000);
  }

  Map<String, Object> config() {
    if (!given.containsKey(BOOTSTRAP_SERVERS_CONFIG)) {
      throw new IllegalStateException(
          "a Kafka publisher needs bootstrapServers, or your own producer");
    }
    if (given.get(TRANSACTIONAL_ID_CONFIG) != null) {
      throw new IllegalArgumentException(
          TRANSACTIONAL_ID_CONFIG + " is set, but events are not sent in Kafka's transactions");
    }
    Map<String, Object> config = new HashMap<>(given);
    // The serializers are given beside the map; what else names them would only confuse.
    config.keySet().removeAll(Set.of(KEY_SERIALIZER_CLASS_CONFIG, VALUE_SERIALIZER_CLASS_CONFIG));
    require(config, ACKS_CONFIG, "all", Set.of("all", "-1"));
    require(config, ENABLE_IDEMPOTENCE_CONFIG, "true", Set.of("true"));
    long delivery = number(DELIVERY_TIMEOUT_MS_CONFIG, DELIVERY_TIMEOUT);
    config.putIfAbsent(MAX_BLOCK_MS_CONFIG, (int) MAX_BLOCK.toMillis());
    config.putIfAbsent(DELIVERY_TIMEOUT_MS_CONFIG, (int) delivery);
    // Time for a second try, and less than the whole as Kafka demands.
    config.putIfAbsent(REQUEST_TIMEOUT_MS_CONFIG, (int) Math.max(1, delivery / 2));
    return config;
  }

  private static void require(
      Map<String, Object> config, String name, String value, Set<String> allowed) {
    Object found = config.putIfAbsent(name, value);
    if (found != null && !allowed.contains(found.toString())) {
      throw new IllegalArgumentException(
          "%s must be %s, or a confirmed event could be lost, but is %s"
              .formatted(name, value, found));
    }
  }

  private long number(String name, Duration otherwise) {
    Object value = given.get(name);
    return value == null ? otherwise.toMillis() : Long.parseLong(value.toString().strip());
  }
}
