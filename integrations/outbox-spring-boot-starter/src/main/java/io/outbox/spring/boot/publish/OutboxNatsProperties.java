package io.outbox.spring.boot.publish;

import java.time.Duration;
import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;

/** The properties {@code outbox.nats.*}; the destination is a subject. */
@ConfigurationProperties(prefix = "outbox.nats")
public class OutboxNatsProperties extends PublisherProperties {

  /** The servers of one cluster, as nats://host:port. By default the servers of an Options bean. */
  private List<String> servers = List.of();

  /**
   * Whether events go through JetStream, which acknowledges and keeps them. Without it, an event is
   * done when the server has read it, and lost without a subscriber.
   */
  private boolean jetStream = true;

  /** How long to wait for an acknowledgement, before that is an outage. */
  private Duration ackTimeout = Duration.ofSeconds(10);

  public List<String> getServers() {
    return servers;
  }

  public void setServers(List<String> servers) {
    this.servers = servers;
  }

  public boolean isJetStream() {
    return jetStream;
  }

  public void setJetStream(boolean jetStream) {
    this.jetStream = jetStream;
  }

  public Duration getAckTimeout() {
    return ackTimeout;
  }

  public void setAckTimeout(Duration ackTimeout) {
    this.ackTimeout = ackTimeout;
  }
}
