package io.outbox.spring.boot.publish;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;

/** The properties {@code outbox.redis.*}; the destination is the key of a stream. */
@ConfigurationProperties(prefix = "outbox.redis")
public class OutboxRedisProperties extends PublisherProperties {

  /**
   * Where Redis is, as redis://user:password@host:port/database. By default as spring.data.redis
   * says: url, or host and port, username, password, database and ssl.enabled.
   */
  private String uri;

  /** About how many entries a stream keeps; 0 keeps all. */
  private long maxLength;

  /** The name of the payload's field. */
  private String payloadField = "payload";

  /** How long to wait for a connection or a reply, before that is an outage. */
  private Duration timeout = Duration.ofSeconds(10);

  public String getUri() {
    return uri;
  }

  public void setUri(String uri) {
    this.uri = uri;
  }

  public long getMaxLength() {
    return maxLength;
  }

  public void setMaxLength(long maxLength) {
    this.maxLength = maxLength;
  }

  public String getPayloadField() {
    return payloadField;
  }

  public void setPayloadField(String payloadField) {
    this.payloadField = payloadField;
  }

  public Duration getTimeout() {
    return timeout;
  }

  public void setTimeout(Duration timeout) {
    this.timeout = timeout;
  }
}
