package io.outbox.sqs;

import io.outbox.DispatchResult;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import software.amazon.awssdk.services.sqs.SqsAsyncClient;
import software.amazon.awssdk.services.sqs.model.BatchResultErrorEntry;
import software.amazon.awssdk.services.sqs.model.SendMessageBatchRequestEntry;
import software.amazon.awssdk.services.sqs.model.SendMessageBatchResponse;

/**
 * The messages on their way to one queue. The first goes at once; those that come while it is under
 * way wait for its answer, or until they are a full batch: no timer, and no delay when idle.
 */
final class QueueBatches {

  static final int MAX_ENTRIES = 10;
  static final int MAX_BYTES = 256 * 1024;

  private static final int MAX_REQUESTS = 32;
  private static final int MAX_WAITING = 10_000;
  private static final Duration WHEN_FULL = Duration.ofSeconds(1);

  private record Waiting(Message message, CompletableFuture<DispatchResult> answer) {}

  private final SqsAsyncClient client;
  private final String queue;
  private final Duration timeout;
  private final Deque<Waiting> waiting = new ArrayDeque<>();
  private CompletableFuture<String> url; // null: not asked for, or asked in vain
  private int requests;

  QueueBatches(SqsAsyncClient client, String queue, Duration timeout) {
    this.client = client;
    this.queue = queue;
    this.timeout = timeout;
  }

  void add(Message message, CompletableFuture<DispatchResult> answer) {
    synchronized (this) {
      if (waiting.size() < MAX_WAITING) {
        waiting.add(new Waiting(message, answer));
      } else {
        answer.complete(DispatchResult.retryAfter(WHEN_FULL));
      }
    }
    sendWhatIsReady();
  }

  synchronized boolean isIdle() {
    return waiting.isEmpty() && requests == 0;
  }

  /** In a loop, not one inside the other: requests that fail at once may be many. */
  private void sendWhatIsReady() {
    for (List<Waiting> batch = take(); batch != null; batch = take()) {
      send(batch);
    }
  }

  private void send(List<Waiting> batch) {
    CompletableFuture<SendMessageBatchResponse> response = request(batch);
    if (response.isDone()) {
      ended();
      answer(batch, response);
    } else {
      response.whenComplete(
          (result, failure) -> {
            ended();
            // first, so that waiting events do not wait for the reader of the answers
            sendWhatIsReady();
            answer(batch, response);
          });
    }
  }

  private synchronized void ended() {
    requests--;
  }

  /** The next batch; null if it has to wait. */
  private synchronized List<Waiting> take() {
    boolean ready = requests == 0 || waiting.size() >= MAX_ENTRIES;
    if (waiting.isEmpty() || !ready || requests >= MAX_REQUESTS) {
      return null;
    }
    List<Waiting> batch = new ArrayList<>(MAX_ENTRIES);
    int bytes = 0;
    while (!waiting.isEmpty() && batch.size() < MAX_ENTRIES) {
      int next = waiting.peek().message().bytes();
      if (!batch.isEmpty() && bytes + next > MAX_BYTES) {
        break;
      }
      bytes += next;
      batch.add(waiting.remove());
    }
    requests++;
    return batch;
  }

  private CompletableFuture<SendMessageBatchResponse> request(List<Waiting> batch) {
    try {
      return url().thenCompose(address -> request(address, batch));
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e); // for example because the client is closed
    }
  }

  private CompletableFuture<SendMessageBatchResponse> request(String address, List<Waiting> batch) {
    List<SendMessageBatchRequestEntry> entries = new ArrayList<>(batch.size());
    for (int i = 0; i < batch.size(); i++) {
      entries.add(batch.get(i).message().entry(i));
    }
    return client.sendMessageBatch(
        request ->
            request
                .queueUrl(address)
                .entries(entries)
                .overrideConfiguration(config -> config.apiCallTimeout(timeout)));
  }

  private void answer(List<Waiting> batch, CompletableFuture<SendMessageBatchResponse> response) {
    response.whenComplete(
        (result, failure) -> {
          if (failure == null) {
            answer(batch, result);
          } else {
            fail(batch, failure instanceof CompletionException ? failure.getCause() : failure);
          }
        });
  }

  private void answer(List<Waiting> batch, SendMessageBatchResponse response) {
    response.successful().forEach(entry -> of(batch, entry.id()).complete(DispatchResult.done()));
    for (BatchResultErrorEntry entry : response.failed()) {
      Failures.answer(of(batch, entry.id()), entry, queue);
    }
    batch.forEach(
        left -> left.answer().completeExceptionally(new IllegalStateException("SQS says nothing")));
  }

  private static CompletableFuture<DispatchResult> of(List<Waiting> batch, String id) {
    return batch.get(Integer.parseInt(id)).answer();
  }

  /** One bad message must not take the others with it. */
  private void fail(List<Waiting> batch, Throwable failure) {
    if (batch.size() > 1 && Failures.isFaultOfAMessage(failure)) {
      batch.stream().map(List::of).forEach(one -> answer(one, request(one)));
    } else {
      batch.forEach(one -> Failures.answer(one.answer(), failure, queue));
    }
  }

  private synchronized CompletableFuture<String> url() {
    if (queue.startsWith("https://") || queue.startsWith("http://")) {
      return CompletableFuture.completedFuture(queue);
    }
    if (url == null || url.isCompletedExceptionally()) {
      url =
          client
              .getQueueUrl(
                  request ->
                      request
                          .queueName(queue)
                          .overrideConfiguration(config -> config.apiCallTimeout(timeout)))
              .thenApply(found -> found.queueUrl());
    }
    return url;
  }
}
