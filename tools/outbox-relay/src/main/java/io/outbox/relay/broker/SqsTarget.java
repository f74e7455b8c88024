package io.outbox.relay.broker;

import io.outbox.EventEnvelope;
import io.outbox.relay.yaml.Section;
import io.outbox.relay.yaml.Values;
import io.outbox.sqs.SqsPublisher;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.regex.Pattern;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.sqs.SqsAsyncClient;
import software.amazon.awssdk.services.sqs.SqsAsyncClientBuilder;
import software.amazon.awssdk.services.sqs.model.QueueDoesNotExistException;

/** Amazon SQS; a destination is a queue, by its name or its URL. */
final class SqsTarget extends Broker {

  private static final Pattern QUEUE =
      Pattern.compile("[A-Za-z0-9_-]{1,80}|[A-Za-z0-9_-]{1,75}.fifo");
  private static final int HTTPS = 443;
  private static final int LOOKUP_SECONDS = 5;

  private final String region; // null for what the SDK finds
  private final URI endpoint; // null for that of the region
  private final Duration timeout;

  SqsTarget(CommonSettings common, Section section) {
    super(common);
    this.region = section.text("region");
    this.endpoint = endpoint(section);
    this.timeout =
        Values.of(section).duration("timeout", Duration.ofSeconds(10), Duration.ofMillis(1));
  }

  private static URI endpoint(Section section) {
    String endpoint = section.text("endpoint");
    if (endpoint == null) {
      return null;
    }
    if (!HttpTarget.isAddress(endpoint)) {
      section.problem(
          "endpoint", "must be an address such as https://host, but is '" + endpoint + "'");
      return null;
    }
    return URI.create(endpoint);
  }

  @Override
  public String place() {
    if (endpoint != null) {
      return "SQS at " + endpoint;
    }
    return region == null ? "SQS, in the region that the AWS SDK finds" : "SQS in " + region;
  }

  @Override
  public String noun() {
    return "queue";
  }

  @Override
  String flaw(String queue) {
    return HttpTarget.isAddress(queue) || QUEUE.matcher(queue).matches()
        ? null
        : "it is neither a name (letters, digits, '_', '-', up to 80, perhaps .fifo) nor a URL";
  }

  @Override
  public OpenBroker open(Function<EventEnvelope, Target> targets) {
    SqsPublisher.Builder builder =
        SqsPublisher.builder()
            .destination(destinationOf(targets))
            .timeout(timeout)
            .format(format());
    if (region != null) {
      builder.region(region);
    }
    if (endpoint != null) {
      builder.endpoint(endpoint);
    }
    SqsPublisher publisher = builder.build();
    return new OpenBroker(publisher, deadLetters(publisher::deadLetters), publisher::close);
  }

  @Override
  public List<String> missing(Collection<String> queues) throws Exception {
    SqsAsyncClientBuilder builder = SqsAsyncClient.builder();
    if (region != null) {
      builder.region(Region.of(region));
    }
    if (endpoint != null) {
      builder.endpointOverride(endpoint);
    }
    List<String> missing = new ArrayList<>();
    try (SqsAsyncClient client = builder.build()) {
      for (String queue : queues) {
        try {
          ask(client, queue).get(LOOKUP_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
          if (!(e.getCause() instanceof QueueDoesNotExistException)) {
            throw e;
          }
          missing.add(queue + ": the queue does not exist");
        }
      }
    }
    return missing;
  }

  private static CompletableFuture<?> ask(SqsAsyncClient client, String queue) {
    return HttpTarget.isAddress(queue)
        ? client.getQueueAttributes(request -> request.queueUrl(queue))
        : client.getQueueUrl(request -> request.queueName(queue));
  }

  @Override
  public List<InetSocketAddress> addresses(Collection<String> destinations) {
    if (endpoint != null) {
      return HostPorts.ofAddress(
              endpoint.toString(), "http".equals(endpoint.getScheme()) ? 80 : HTTPS)
          .map(List::of)
          .orElse(List.of());
    }
    return region == null
        ? List.of()
        : List.of(InetSocketAddress.createUnresolved("sqs." + region + ".amazonaws.com", HTTPS));
  }
}
