package io.outbox.http;

import java.io.ByteArrayOutputStream;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;

/**
 * Reads the first bytes of an answer's body, enough for a message. A little more is skipped, to
 * keep the connection; of one that goes on and on the rest is refused.
 */
final class BodyStart implements BodySubscriber<String> {

  private static final int KEPT = 500;
  private static final int SKIPPED = 64 * 1024;

  private final CompletableFuture<String> start = new CompletableFuture<>();
  private final ByteArrayOutputStream kept = new ByteArrayOutputStream(KEPT);
  private Flow.Subscription subscription;
  private long read;

  @Override
  public CompletionStage<String> getBody() {
    return start;
  }

  @Override
  public void onSubscribe(Flow.Subscription given) {
    subscription = given;
    subscription.request(Long.MAX_VALUE);
  }

  @Override
  public void onNext(List<ByteBuffer> buffers) {
    for (ByteBuffer buffer : buffers) {
      read += buffer.remaining();
      byte[] bytes = new byte[Math.min(buffer.remaining(), KEPT - kept.size())];
      buffer.get(bytes);
      kept.writeBytes(bytes);
    }
    if (read > SKIPPED) {
      subscription.cancel();
      onComplete();
    }
  }

  @Override
  public void onError(Throwable failure) {
    start.completeExceptionally(failure);
  }

  @Override
  public void onComplete() {
    start.complete(kept.toString(StandardCharsets.UTF_8));
  }
}
