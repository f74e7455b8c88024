package io.outbox.nats;

import io.nats.client.JetStreamApiException;
import io.outbox.DispatchResult;
import io.outbox.OutageException;
import io.outbox.RecoverableException;
import io.outbox.internal.publish.Answer;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeoutException;

/** What the failure of a publication means for its event. */
final class Failures {

  static final Duration WHEN_STREAM_IS_FULL = Duration.ofSeconds(1);

  private static final int MESSAGE_TOO_LARGE = 10054;

  /** No room: of the account, in memory, on disk, or in a stream that refuses what is new. */
  private static final Set<Integer> NO_ROOM = Set.of(10023, 10028, 10047, 10077);

  private static final int SERVER_ERROR = 500;

  private Failures() {}

  /** Nobody listens to this subject: no stream, or one without a leader. */
  static boolean isNoResponders(Throwable failure) {
    return failure instanceof IOException && String.valueOf(failure.getMessage()).contains("503");
  }

  /** Answers by a failure. */
  static void answer(Answer answer, Throwable failure) {
    if (failure instanceof JetStreamApiException refused) {
      refused(answer, refused);
    } else if (failure instanceof OutageException) {
      answer.fail(failure);
    } else if (isQueueFull(failure)) {
      answer.full();
    } else if (failure instanceof IllegalArgumentException) {
      // the client checks subject, headers and size before it sends
      answer.result(DispatchResult.dead("it cannot be sent to NATS: " + failure.getMessage()));
    } else if (failure instanceof IOException
        || failure instanceof IllegalStateException
        || failure instanceof CancellationException
        || failure instanceof TimeoutException) {
      answer.outage("NATS did not take it: " + failure, failure);
    } else {
      answer.fail(new RecoverableException("NATS did not take it: " + failure, failure));
    }
  }

  private static void refused(Answer answer, JetStreamApiException refused) {
    String text = "JetStream refused it: " + refused.getMessage();
    if (refused.getApiErrorCode() == MESSAGE_TOO_LARGE) {
      answer.result(DispatchResult.dead(text));
    } else if (NO_ROOM.contains(refused.getApiErrorCode())) {
      answer.result(DispatchResult.retryAfter(WHEN_STREAM_IS_FULL));
    } else if (refused.getErrorCode() >= SERVER_ERROR) {
      answer.outage(text, refused);
    } else {
      answer.fail(new RecoverableException(text, refused));
    }
  }

  /** The client has as many messages to write as it takes. */
  private static boolean isQueueFull(Throwable failure) {
    return failure instanceof IllegalStateException
        && String.valueOf(failure.getMessage()).startsWith("Output queue");
  }
}
