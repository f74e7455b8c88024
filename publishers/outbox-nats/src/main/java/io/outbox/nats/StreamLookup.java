package io.outbox.nats;

import io.nats.client.Connection;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamOptions;
import io.outbox.DispatchResult;
import io.outbox.OutageException;
import io.outbox.internal.publish.Answer;
import io.outbox.util.DaemonThreadFactory;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Tells two things apart that look the same to a publisher: a subject that no stream takes, and a
 * stream that has no leader at the moment. Thread-safe; waits on its own thread.
 */
final class StreamLookup {

  private static final int MAX_WAITING = 1_000;

  private final JetStreamOptions options;
  private final ThreadPoolExecutor executor =
      new ThreadPoolExecutor(
          1,
          1,
          1,
          TimeUnit.SECONDS,
          new ArrayBlockingQueue<>(MAX_WAITING),
          new DaemonThreadFactory("outbox-nats-lookup-"));

  StreamLookup(JetStreamOptions options) {
    this.options = options;
    executor.allowCoreThreadTimeOut(true);
  }

  /** Answers an event whose subject nobody listens to. */
  void answer(Answer answer, Connection connection, String subject) {
    try {
      executor.execute(() -> ask(answer, connection, subject));
    } catch (RejectedExecutionException e) {
      answer.result(DispatchResult.retryAfter(Failures.WHEN_STREAM_IS_FULL));
    }
  }

  private void ask(Answer answer, Connection connection, String subject) {
    if (answer.future().isDone()) {
      return; // it was overdue before its turn came
    }
    try {
      List<String> streams = connection.jetStreamManagement(options).getStreamNames(subject);
      if (streams.isEmpty()) {
        answer.fail(
            OutageException.ofDestination(
                Subjects.nameOf(subject), "no stream takes the subject '" + subject + "'", null));
      } else {
        answer.outage("the stream " + streams.get(0) + " does not answer", null);
      }
    } catch (IOException | JetStreamApiException | RuntimeException e) {
      answer.outage("neither a stream for '" + subject + "' nor JetStream answers: " + e, e);
    }
  }

  void close() {
    executor.shutdownNow();
  }
}
