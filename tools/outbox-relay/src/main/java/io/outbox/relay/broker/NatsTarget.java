package io.outbox.relay.broker;

import io.nats.client.Connection;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.outbox.EventEnvelope;
import io.outbox.nats.NatsPublisher;
import io.outbox.relay.yaml.Section;
import io.outbox.relay.yaml.Values;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.function.Function;

/** NATS; a destination is a subject. */
final class NatsTarget extends Broker {

  private static final int DEFAULT_PORT = 4222;
  private static final Duration PING_INTERVAL = Duration.ofSeconds(5);

  private final List<InetSocketAddress> servers;
  private final Options options;
  private final boolean jetStream;
  private final Duration ackTimeout;

  NatsTarget(CommonSettings common, Section section) {
    super(common);
    List<String> urls = section.addresses("servers");
    this.servers =
        urls.stream()
            .map(url -> HostPorts.ofAddress(url, DEFAULT_PORT))
            .flatMap(Optional::stream)
            .toList();
    this.options = options(section, urls);
    Values values = Values.of(section);
    this.jetStream = values.flag("jet-stream", true);
    this.ackTimeout =
        values.duration(
            "ack-timeout", NatsPublisher.Builder.DEFAULT_ACK_TIMEOUT, Duration.ofMillis(1));
  }

  private Options options(Section section, List<String> urls) {
    Properties properties = new Properties();
    properties.putAll(section.properties("properties"));
    if (urls.isEmpty()) {
      section.problem("servers", "'servers' is missing: where NATS is, such as nats://host:4222");
    } else if (servers.size() < urls.size()) {
      section.problem("servers", "must be addresses such as nats://host:4222");
    } else {
      try {
        return Options.builder()
            .pingInterval(PING_INTERVAL)
            .connectionName("outbox-relay")
            .properties(properties)
            .servers(urls.toArray(String[]::new))
            .build();
      } catch (IllegalArgumentException | IllegalStateException e) {
        section.problem("properties", "NATS's client refuses them: " + e.getMessage());
      }
    }
    return null;
  }

  @Override
  public String place() {
    return "NATS at " + HostPorts.text(servers);
  }

  @Override
  public String noun() {
    return "subject";
  }

  @Override
  String flaw(String subject) {
    if (subject.startsWith(".") || subject.endsWith(".") || subject.contains("..")) {
      return "it has an empty word";
    }
    if (subject.chars().anyMatch(c -> Character.isWhitespace(c) || Character.isISOControl(c))) {
      return "it has a space";
    }
    return subject.contains("*") || subject.contains(">") ? "it has a wildcard" : null;
  }

  @Override
  public OpenBroker open(Function<EventEnvelope, Target> targets) {
    NatsPublisher.Builder builder =
        NatsPublisher.builder()
            .options(options)
            .destination(destinationOf(targets))
            .ackTimeout(ackTimeout)
            .format(format());
    if (!jetStream) {
      builder.coreNats();
    }
    NatsPublisher publisher = builder.build();
    return new OpenBroker(publisher, deadLetters(publisher::deadLetters), publisher::close);
  }

  @Override
  public List<String> missing(Collection<String> subjects) throws Exception {
    List<String> missing = new ArrayList<>();
    if (jetStream) {
      Options asking = new Options.Builder(options).maxReconnects(0).build();
      try (Connection connection = Nats.connect(asking)) {
        for (String subject : subjects) {
          if (connection.jetStreamManagement().getStreamNames(subject).isEmpty()) {
            missing.add(subject + ": no stream accepts it");
          }
        }
      }
    }
    return missing;
  }

  @Override
  public List<InetSocketAddress> addresses(Collection<String> destinations) {
    return servers;
  }
}
