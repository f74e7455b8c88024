package io.outbox.relay.broker;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.outbox.EventEnvelope;
import io.outbox.redis.RedisPublisher;
import io.outbox.relay.yaml.Section;
import io.outbox.relay.yaml.Values;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;

/** Redis Streams; a destination is the key of a stream. */
final class RedisTarget extends Broker {

  private static final Duration LOOKUP = Duration.ofSeconds(5);

  private final RedisURI uri; // not to be changed; null if there is none
  private final long maxLength;
  private final String payloadField;
  private final Duration timeout;

  RedisTarget(CommonSettings common, Section section) {
    super(common);
    this.uri = uri(section);
    Values values = Values.of(section);
    this.maxLength = values.number("max-length", 0, 0, Long.MAX_VALUE);
    String field = section.text("payload-field");
    this.payloadField = field == null || field.isBlank() ? "payload" : field;
    this.timeout =
        values.duration("timeout", RedisPublisher.Builder.DEFAULT_TIMEOUT, Duration.ofMillis(1));
  }

  private static RedisURI uri(Section section) {
    String uri = section.address("uri");
    if (uri == null || uri.isBlank()) {
      section.problem("uri", "'uri' is missing: where Redis is, such as redis://host:6379/0");
      return null;
    }
    try {
      return RedisURI.create(uri);
    } catch (IllegalArgumentException e) {
      // not its message: it repeats the address
      section.problem("uri", "must be an address such as redis://host:6379/0");
      return null;
    }
  }

  @Override
  public String place() {
    return "Redis at " + HostPorts.text(addresses(List.of()));
  }

  @Override
  public String noun() {
    return "stream";
  }

  @Override
  String flaw(String stream) {
    return null;
  }

  @Override
  public OpenBroker open(Function<EventEnvelope, Target> targets) {
    RedisPublisher publisher =
        RedisPublisher.builder()
            .uri(uri)
            .destination(destinationOf(targets))
            .maxLength(maxLength)
            .payloadField(payloadField)
            .timeout(timeout)
            .format(format())
            .build();
    return new OpenBroker(publisher, deadLetters(publisher::deadLetters), publisher::close);
  }

  /** Redis makes streams by itself, unless the key is something else. */
  @Override
  public List<String> missing(Collection<String> streams) {
    List<String> missing = new ArrayList<>();
    RedisClient client = RedisClient.create(RedisURI.builder(uri).withTimeout(LOOKUP).build());
    try (StatefulRedisConnection<String, String> connection = client.connect()) {
      for (String stream : streams) {
        String type = connection.sync().type(stream);
        if (!type.equals("none") && !type.equals("stream")) {
          missing.add(stream + ": the key is a " + type + ", no stream");
        }
      }
    } finally {
      client.shutdown(Duration.ZERO, LOOKUP);
    }
    return missing;
  }

  @Override
  public List<InetSocketAddress> addresses(Collection<String> destinations) {
    List<RedisURI> all = uri.getHost() == null ? uri.getSentinels() : List.of(uri);
    return all.stream()
        .map(one -> InetSocketAddress.createUnresolved(one.getHost(), one.getPort()))
        .toList();
  }
}
