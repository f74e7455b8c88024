package io.outbox.relay.broker;

import io.outbox.relay.yaml.Section;
import io.outbox.relay.yaml.Values;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiFunction;

/** Reads the section {@code brokers}. */
public final class Brokers {

  private enum Type {
    KAFKA(KafkaTarget::new),
    RABBITMQ(RabbitMqTarget::new),
    NATS(NatsTarget::new),
    REDIS(RedisTarget::new),
    SQS(SqsTarget::new),
    HTTP(HttpTarget::new);

    private final BiFunction<CommonSettings, Section, Broker> reader;

    Type(BiFunction<CommonSettings, Section, Broker> reader) {
      this.reader = reader;
    }
  }

  private Brokers() {}

  /** By name. Wrong ones are among the problems. */
  public static Map<String, Broker> read(Section section) {
    Map<String, Broker> brokers = new LinkedHashMap<>();
    section.namedSections().forEach((name, one) -> read(name, one, brokers));
    return brokers;
  }

  private static void read(String name, Section section, Map<String, Broker> brokers) {
    if (section.required("type", "kafka, rabbitmq, nats, redis, sqs or http") == null) {
      return;
    }
    Type type = Values.of(section).choice("type", Type.class, null);
    if (type == null) {
      return; // its other settings depend on it
    }
    Broker broker = type.reader.apply(CommonSettings.read(name, section), section);
    section.done();
    requireDestination(section, "destination", broker);
    requireDestination(section, "dead-letter-destination", broker);
    brokers.put(name, broker);
  }

  private static void requireDestination(Section section, String key, Broker broker) {
    String template = section.text(key);
    if (template == null) {
      return;
    }
    try {
      broker.destination(template);
    } catch (IllegalArgumentException e) {
      section.problem(key, e.getMessage());
    }
  }
}
