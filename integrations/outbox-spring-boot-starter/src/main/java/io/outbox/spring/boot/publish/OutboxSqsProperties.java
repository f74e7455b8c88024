package io.outbox.spring.boot.publish;

import java.net.URI;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;

/** The properties {@code outbox.sqs.*}; the destination is a queue, by its name or its URL. */
@ConfigurationProperties(prefix = "outbox.sqs")
public class OutboxSqsProperties extends PublisherProperties {

  /** The region of the queues. By default the AWS SDK's. */
  private String region;

  /** The endpoint of SQS. By default the region's. */
  private URI endpoint;

  /** How long one request may take, the SDK's own retries included, before that is an outage. */
  private Duration timeout = Duration.ofSeconds(10);

  public String getRegion() {
    return region;
  }

  public void setRegion(String region) {
    this.region = region;
  }

  public URI getEndpoint() {
    return endpoint;
  }

  public void setEndpoint(URI endpoint) {
    this.endpoint = endpoint;
  }

  public Duration getTimeout() {
    return timeout;
  }

  public void setTimeout(Duration timeout) {
    this.timeout = timeout;
  }
}
