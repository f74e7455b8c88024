package io.outbox.sqs;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.publish.MessageFormat;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.sqs.SqsAsyncClient;
import software.amazon.awssdk.services.sqs.model.SendMessageBatchRequest;
import software.amazon.awssdk.services.sqs.model.SendMessageBatchRequestEntry;
import software.amazon.awssdk.services.sqs.model.SendMessageBatchResponse;
import software.amazon.awssdk.services.sqs.model.SendMessageBatchResultEntry;

class QueueBatchesTest {

  private static final int KIB = 1024;

  private final List<SendMessageBatchRequest> requests = new ArrayList<>();
  private final Deque<CompletableFuture<SendMessageBatchResponse>> responses = new ArrayDeque<>();
  private boolean closed;

  private final QueueBatches batches =
      new QueueBatches(
          new SqsAsyncClient() {
            @Override
            public CompletableFuture<SendMessageBatchResponse> sendMessageBatch(
                SendMessageBatchRequest request) {
              if (closed) {
                return CompletableFuture.failedFuture(new IllegalStateException("closed"));
              }
              requests.add(request);
              responses.add(new CompletableFuture<>());
              return responses.getLast();
            }

            @Override
            public String serviceName() {
              return SERVICE_NAME;
            }

            @Override
            public void close() {}
          },
          "https://sqs.example.com/orders",
          Duration.ofSeconds(10));

  private CompletableFuture<DispatchResult> add(int bytes) {
    CompletableFuture<DispatchResult> answer = new CompletableFuture<>();
    batches.add(
        new Messages(MessageFormat.plain())
            .of(EventEnvelope.ofJson("Placed", '"' + "x".repeat(bytes) + '"'), false),
        answer);
    return answer;
  }

  private void succeed() {
    SendMessageBatchRequest request = requests.get(requests.size() - responses.size());
    responses
        .remove()
        .complete(
            SendMessageBatchResponse.builder()
                .successful(request.entries().stream().map(QueueBatchesTest::result).toList())
                .build());
  }

  private static SendMessageBatchResultEntry result(SendMessageBatchRequestEntry entry) {
    return SendMessageBatchResultEntry.builder().id(entry.id()).build();
  }

  @Test
  void whatComesMeanwhileGoesTogetherUpToTenEntries() {
    List<CompletableFuture<DispatchResult>> answers = new ArrayList<>();
    for (int i = 0; i < 15; i++) {
      answers.add(add(10));
    }
    assertThat(requests).extracting(request -> request.entries().size()).containsExactly(1, 10);
    succeed();
    succeed();
    assertThat(requests).extracting(request -> request.entries().size()).containsExactly(1, 10, 4);
    succeed();
    assertThat(answers).allMatch(answer -> answer.join().equals(DispatchResult.done()));
  }

  @Test
  void aRequestIsNotLargerThanSqsTakes() {
    for (int i = 0; i < 7; i++) {
      add(100 * KIB);
    }
    while (!responses.isEmpty()) {
      succeed();
    }
    assertThat(requests)
        .extracting(request -> request.entries().size())
        .containsExactly(1, 2, 2, 2);
  }

  @Test
  void manyThatFailAtOnceAreAllAnswered() {
    List<CompletableFuture<DispatchResult>> answers = new ArrayList<>();
    add(10);
    for (int i = 0; i < 9_999; i++) {
      answers.add(add(10));
    }
    closed = true;
    succeed();
    while (!responses.isEmpty()) {
      succeed();
    }
    assertThat(answers).allMatch(CompletableFuture::isDone);
    assertThat(batches.isIdle()).isTrue();
  }
}
