package io.outbox.publishertests.sqs;

import io.outbox.AsyncEventListener;
import io.outbox.EventEnvelope;
import io.outbox.spi.JsonCodec;
import io.outbox.sqs.SqsPublisher;
import io.outbox.testbrokers.PublisherFixture;
import io.outbox.testbrokers.ReceivedMessage;
import io.outbox.testbrokers.SqsServer;
import io.outbox.testbrokers.TcpProxy;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.sqs.SqsAsyncClient;
import software.amazon.awssdk.services.sqs.model.DeleteMessageBatchRequestEntry;
import software.amazon.awssdk.services.sqs.model.Message;
import software.amazon.awssdk.services.sqs.model.MessageSystemAttributeName;
import software.amazon.awssdk.services.sqs.model.QueueAttributeName;
import software.amazon.awssdk.services.sqs.model.ReceiveMessageResponse;

/** A queue, and its consumer. */
final class SqsFixture implements PublisherFixture {

  static {
    System.setProperty("aws.accessKeyId", "test");
    System.setProperty("aws.secretAccessKey", "test");
  }

  private static final int PARALLEL = 8;

  private final TcpProxy proxy = TcpProxy.to(SqsServer.uri().getHost(), SqsServer.uri().getPort());
  private final SqsAsyncClient direct =
      SqsAsyncClient.builder()
          .region(Region.EU_CENTRAL_1)
          .endpointOverride(SqsServer.uri())
          .build();
  private final String queue;
  private final String url;
  private final SqsPublisher publisher;

  SqsFixture(boolean fifo) {
    this(fifo, SqsPublisher.builder());
  }

  SqsFixture(boolean fifo, SqsPublisher.Builder builder) {
    queue = "orders-" + UUID.randomUUID() + (fifo ? ".fifo" : "");
    url = createQueue(queue);
    publisher =
        through(builder)
            .destination(event -> event.eventType().equals(NOWHERE) ? missingQueue() : queue)
            .build();
  }

  private SqsPublisher.Builder through(SqsPublisher.Builder builder) {
    return builder.region("eu-central-1").endpoint(URI.create("http://127.0.0.1:" + proxy.port()));
  }

  String createQueue(String name) {
    Map<QueueAttributeName, String> attributes =
        name.endsWith(".fifo")
            ? Map.of(QueueAttributeName.FIFO_QUEUE, "true")
            : Map.of(QueueAttributeName.VISIBILITY_TIMEOUT, "3600"); // as good as deleted
    return direct
        .createQueue(request -> request.queueName(name).attributes(attributes))
        .join()
        .queueUrl();
  }

  String queue() {
    return queue;
  }

  private String missingQueue() {
    return "missing-" + queue;
  }

  @Override
  public Missing missing() {
    return new Missing() {
      @Override
      public void create() {
        createQueue(missingQueue());
      }

      @Override
      public long arrived() {
        QueueAttributeName number = QueueAttributeName.APPROXIMATE_NUMBER_OF_MESSAGES;
        String address =
            direct.getQueueUrl(request -> request.queueName(missingQueue())).join().queueUrl();
        return Long.parseLong(
            direct
                .getQueueAttributes(request -> request.queueUrl(address).attributeNames(number))
                .join()
                .attributes()
                .get(number));
      }
    };
  }

  String url() {
    return url;
  }

  SqsAsyncClient direct() {
    return direct;
  }

  SqsPublisher sqsPublisher() {
    return publisher;
  }

  /** A publisher like that of this fixture, to another queue. */
  SqsPublisher publisherTo(String destination) {
    return through(SqsPublisher.builder()).destination(event -> destination).build();
  }

  @Override
  public AsyncEventListener publisher() {
    return publisher;
  }

  @Override
  public TcpProxy proxy() {
    return proxy;
  }

  @Override
  public List<ReceivedMessage> receive() {
    List<Message> messages = new ArrayList<>(receiveFrom(url));
    if (!messages.isEmpty() && !queue.endsWith(".fifo")) {
      // Ten at a time would be slow, and only in a FIFO queue is there an order to keep.
      IntStream.range(0, PARALLEL)
          .mapToObj(i -> request(url, 0))
          .toList()
          .forEach(request -> messages.addAll(request.join().messages()));
    }
    return messages.stream().map(SqsFixture::message).toList();
  }

  List<Message> receiveFrom(String address) {
    List<Message> messages = request(address, 1).join().messages();
    if (address.endsWith(".fifo") && !messages.isEmpty()) {
      delete(address, messages); // or nothing more of their groups would come
    }
    return messages;
  }

  private CompletableFuture<ReceiveMessageResponse> request(String address, int waitSeconds) {
    return direct.receiveMessage(
        request ->
            request
                .queueUrl(address)
                .maxNumberOfMessages(10)
                .waitTimeSeconds(waitSeconds)
                .messageAttributeNames("All")
                .messageSystemAttributeNames(MessageSystemAttributeName.ALL));
  }

  private void delete(String address, List<Message> messages) {
    List<DeleteMessageBatchRequestEntry> entries = new ArrayList<>();
    for (int i = 0; i < messages.size(); i++) {
      String id = Integer.toString(i);
      String handle = messages.get(i).receiptHandle();
      entries.add(DeleteMessageBatchRequestEntry.builder().id(id).receiptHandle(handle).build());
    }
    direct.deleteMessageBatch(request -> request.queueUrl(address).entries(entries)).join();
  }

  static ReceivedMessage message(Message message) {
    Map<String, String> headers = new LinkedHashMap<>();
    message.messageAttributes().forEach((name, value) -> headers.put(name, value.stringValue()));
    String others = headers.remove("outbox-headers");
    if (others != null) {
      headers.putAll(JsonCodec.getDefault().parseStringMap(others));
    }
    String encoding = headers.getOrDefault("outbox-encoding", "none");
    byte[] body =
        switch (encoding) {
          case "base64" -> Base64.getDecoder().decode(message.body());
          case "empty" -> new byte[0];
          default -> message.body().getBytes(StandardCharsets.UTF_8);
        };
    return new ReceivedMessage(null, headers, body);
  }

  /** More than a message may have, as Base64. */
  @Override
  public EventEnvelope rejected() {
    return EventEnvelope.builder("TooLarge")
        .payloadBytes(new byte[EventEnvelope.MAX_PAYLOAD_BYTES], "application/octet-stream")
        .build();
  }

  @Override
  public void close() {
    publisher.close();
    direct.close();
    proxy.close();
  }
}
