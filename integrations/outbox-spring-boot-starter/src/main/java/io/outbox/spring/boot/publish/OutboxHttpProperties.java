package io.outbox.spring.boot.publish;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.boot.context.properties.ConfigurationProperties;

/** The properties {@code outbox.http.*}; the destination is an address. */
@ConfigurationProperties(prefix = "outbox.http")
public class OutboxHttpProperties extends PublisherProperties {

  /** Headers of every request, by name, such as Authorization. */
  private final Map<String, String> headers = new LinkedHashMap<>();

  /** The secret that each request is signed with, in the header outbox-signature. */
  private String signingSecret;

  /** How long connecting may take. */
  private Duration connectTimeout = Duration.ofSeconds(3);

  /** How long an answer may take, before that is an outage. */
  private Duration requestTimeout = Duration.ofSeconds(10);

  /** The longest delay that an answer can ask for with Retry-After. */
  private Duration maxRetryAfter = Duration.ofMinutes(5);

  /**
   * Answers that mean that the address is not there yet, such as 404 and 410: its events wait.
   * Otherwise they are DEAD.
   */
  private List<Integer> outageStatuses = List.of();

  public Map<String, String> getHeaders() {
    return headers;
  }

  public String getSigningSecret() {
    return signingSecret;
  }

  public void setSigningSecret(String signingSecret) {
    this.signingSecret = signingSecret;
  }

  public List<Integer> getOutageStatuses() {
    return outageStatuses;
  }

  public void setOutageStatuses(List<Integer> outageStatuses) {
    this.outageStatuses = outageStatuses;
  }

  public Duration getConnectTimeout() {
    return connectTimeout;
  }

  public void setConnectTimeout(Duration connectTimeout) {
    this.connectTimeout = connectTimeout;
  }

  public Duration getRequestTimeout() {
    return requestTimeout;
  }

  public void setRequestTimeout(Duration requestTimeout) {
    this.requestTimeout = requestTimeout;
  }

  public Duration getMaxRetryAfter() {
    return maxRetryAfter;
  }

  public void setMaxRetryAfter(Duration maxRetryAfter) {
    this.maxRetryAfter = maxRetryAfter;
  }
}
