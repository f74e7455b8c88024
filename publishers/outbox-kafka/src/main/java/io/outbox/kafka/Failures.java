package io.outbox.kafka;

import io.outbox.DispatchResult;
import io.outbox.OutageException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.CorruptRecordException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.ThrottlingQuotaExceededException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.errors.UnsupportedVersionException;

/** What a failure of Kafka's client means for the event. */
final class Failures {

  /** The fault of this event: it will be no better next time. */
  private static final List<Class<?>> REJECTED =
      List.of(
          RecordTooLargeException.class,
          InvalidTopicException.class,
          InvalidRecordException.class,
          PolicyViolationException.class,
          SerializationException.class);

  /** The fault of this event or its topic, and perhaps not for long. */
  private static final List<Class<?>> RETRIED =
      List.of(UnknownTopicOrPartitionException.class, CorruptRecordException.class);

  /** Nobody's event would get through. */
  private static final List<Class<?>> OUTAGE =
      List.of(
          RetriableException.class, // all that is about the network, replicas and leaders
          AuthenticationException.class,
          ClusterAuthorizationException.class,
          ProducerFencedException.class,
          InvalidProducerEpochException.class,
          UnsupportedVersionException.class,
          IllegalStateException.class); // the producer is closed

  private static final int MAX_CAUSES = 10;

  private Failures() {}

  static void answer(CompletableFuture<DispatchResult> answer, Throwable failure, String topic) {
    if (find(failure, List.of(ThrottlingQuotaExceededException.class))
        instanceof ThrottlingQuotaExceededException throttled) {
      answer.complete(
          DispatchResult.retryAfter(Duration.ofMillis(Math.max(0, throttled.throttleTimeMs()))));
    } else if (find(failure, RETRIED) != null) {
      answer.completeExceptionally(failure);
    } else if (find(failure, REJECTED) != null) {
      answer.complete(DispatchResult.dead("Kafka rejects it for topic " + topic + ": " + failure));
    } else if (find(failure, OUTAGE) != null) {
      answer.completeExceptionally(
          new OutageException("Kafka does not take events for topic " + topic, failure));
    } else {
      answer.completeExceptionally(failure);
    }
  }

  /** The failure itself or one of its causes, the outermost first; null if there is none. */
  private static Throwable find(Throwable failure, List<Class<?>> types) {
    Throwable cause = failure;
    for (int i = 0; cause != null && i < MAX_CAUSES; i++) {
      for (Class<?> type : types) {
        if (type.isInstance(cause)) {
          return cause;
        }
      }
      cause = cause.getCause();
    }
    return null;
  }
}
