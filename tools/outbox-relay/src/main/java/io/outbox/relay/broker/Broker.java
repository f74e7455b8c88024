package io.outbox.relay.broker;

import io.outbox.EventEnvelope;
import io.outbox.publish.Destination;
import io.outbox.publish.MessageFormat;
import io.outbox.relay.yaml.Position;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;

/** A broker of the configuration: how to reach it, and what is written to it. Immutable. */
public abstract sealed class Broker
    permits KafkaTarget, RabbitMqTarget, NatsTarget, RedisTarget, SqsTarget, HttpTarget {

  private final CommonSettings common;

  Broker(CommonSettings common) {
    this.common = common;
  }

  /** The name that rules know it by. */
  public final String name() {
    return common.name();
  }

  /** Where it is in the file. */
  public final Position at() {
    return common.at();
  }

  /** The destination of rules that name none; null if they must. */
  public final String defaultDestination() {
    return common.destination();
  }

  /** Where its events go that are DEAD; null for nowhere. */
  public final String deadLetterDestination() {
    return common.deadLetterDestination();
  }

  final MessageFormat format() {
    return common.format();
  }

  /** What it is, and where, without secrets: {@code Kafka at host:9092}. */
  public abstract String place();

  /** What a destination is: a topic, an exchange. */
  public abstract String noun();

  /** Whether a rule can name a routing key. */
  public boolean hasRoutingKey() {
    return false;
  }

  /** The routing key that an event gets; null if the broker knows none. */
  public String routingKey(Target target, EventEnvelope event) {
    return null;
  }

  /**
   * The destination that a template names.
   *
   * @throws IllegalArgumentException if the destination is not possible
   */
  public Destination destination(String template) {
    Destination destination = Destination.template(template);
    String flaw = flaw(template.replaceAll("\\{[^}]*}", "x"));
    if (flaw != null) {
      throw new IllegalArgumentException("'" + template + "' is no " + noun() + ": " + flaw);
    }
    return destination;
  }

  /** What is wrong with a destination whose placeholders have values; null if nothing is. */
  abstract String flaw(String destination);

  /**
   * Makes a publisher. It need not be connected: while the broker is down, events wait.
   *
   * @param targets where each event goes
   * @throws RuntimeException if the client refuses its settings
   */
  public abstract OpenBroker open(Function<EventEnvelope, Target> targets);

  /**
   * The known addresses of the broker.
   *
   * @param destinations templates of the rules that lead here
   */
  public abstract List<InetSocketAddress> addresses(Collection<String> destinations);

  /**
   * The destinations that do not exist or accept no events, so that events would wait; one line
   * each, beginning with the name. Asks the broker, and changes nothing there.
   *
   * @throws Exception if it cannot be asked
   */
  public List<String> missing(Collection<String> destinations) throws Exception {
    return List.of();
  }

  static Destination destinationOf(Function<EventEnvelope, Target> targets) {
    return event -> targets.apply(event).destination().of(event);
  }

  /** Null if dead letters go nowhere. */
  final BiConsumer<EventEnvelope, String> deadLetters(
      Function<Destination, BiConsumer<EventEnvelope, String>> publisher) {
    return deadLetterDestination() == null
        ? null
        : publisher.apply(destination(deadLetterDestination()));
  }
}
