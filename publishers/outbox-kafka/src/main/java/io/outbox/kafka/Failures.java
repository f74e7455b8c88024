package io.outbox.kafka;

import io.outbox.DispatchResult;
import io.outbox.OutageException;
import io.outbox.RecoverableException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.CorruptRecordException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.ThrottlingQuotaExceededException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
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

  /** The fault of this event, and perhaps not for long. */
  private static final List<Class<?>> RETRIED = List.of(CorruptRecordException.class);

  /** Nobody's event would get into this topic. */
  private static final List<Class<?>> TOPIC =
      List.of(UnknownTopicOrPartitionException.class, TopicAuthorizationException.class);

  /** Nobody's event would get through. */
  private static final List<Class<?>> OUTAGE =
      List.of(
          RetriableException.class, // all that is about the network, replicas and leaders
          AuthenticationException.class,
          ClusterAuthorizationException.class,
          ProducerFencedException.class,
          InvalidProducerEpochException.class,
          OutOfOrderSequenceException.class, // the broker does not know this producer any more
          InvalidTimestampException.class, // the clock of this node is wrong
          UnsupportedVersionException.class,
          TimeoutException.class, // the producer's thread is dead
          IllegalStateException.class); // the producer is closed

  /** After these the producer may be in a state that it never leaves. */
  private static final List<Class<?>> ENDS =
      List.of(
          AuthenticationException.class,
          ClusterAuthorizationException.class,
          ProducerFencedException.class,
          InvalidProducerEpochException.class,
          UnsupportedVersionException.class,
          TimeoutException.class,
          IllegalStateException.class);

  private static final Duration AFTER_A_NEIGHBOUR = Duration.ofMillis(100);
  private static final Duration SHORTEST_PAUSE = Duration.ofMillis(100);

  private static final int MAX_CAUSES = 10;

  private Failures() {}

  /** What becomes of the event: a result, or an exception that says so. */
  static DispatchResult judge(Throwable failure, String topic) {
    if (isFaultOfANeighbor(failure)) {
      return DispatchResult.retryAfter(AFTER_A_NEIGHBOUR);
    }
    if (find(failure, List.of(ThrottlingQuotaExceededException.class))
        instanceof ThrottlingQuotaExceededException throttled) {
      return DispatchResult.retryAfter(pause(throttled));
    }
    if (isAboutTheProducer(failure)) {
      throw outage(failure, topic);
    }
    Throwable ofTopic = find(failure, TOPIC);
    if (ofTopic != null) {
      throw OutageException.ofDestination(
          nameOf(topic), "Kafka does not take events for it: " + ofTopic.getMessage(), failure);
    }
    if (find(failure, RETRIED) != null) {
      throw asUnchecked(failure);
    }
    if (find(failure, REJECTED) != null) {
      return DispatchResult.dead("Kafka rejects it for topic " + topic + ": " + failure);
    }
    throw find(failure, OUTAGE) == null ? asUnchecked(failure) : outage(failure, topic);
  }

  /** As operators should see it. */
  static String nameOf(String topic) {
    return "topic " + topic;
  }

  /** Whether nothing can be expected of the producer any more. */
  static boolean endsProducer(Throwable failure) {
    return !isFaultOfANeighbor(failure)
        && (isAboutTheProducer(failure) || find(failure, ENDS) != null);
  }

  /** The broker refused another record of the batch, and so took none of them. */
  private static boolean isFaultOfANeighbor(Throwable failure) {
    return isPlain(failure) && String.valueOf(failure.getMessage()).contains("part of a batch");
  }

  /**
   * That it was closed, or has failed before and cannot recover. The cause, if there is one, is
   * about the event of that time.
   */
  private static boolean isAboutTheProducer(Throwable failure) {
    return isPlain(failure) && !isFaultOfANeighbor(failure);
  }

  /** Each failure of a single event has its own class. */
  private static boolean isPlain(Throwable failure) {
    return failure.getClass() == KafkaException.class;
  }

  private static Duration pause(ThrottlingQuotaExceededException throttled) {
    Duration asked = Duration.ofMillis(throttled.throttleTimeMs());
    return asked.compareTo(SHORTEST_PAUSE) < 0 ? SHORTEST_PAUSE : asked;
  }

  private static OutageException outage(Throwable failure, String topic) {
    return new OutageException("Kafka does not take events for topic " + topic, failure);
  }

  private static RuntimeException asUnchecked(Throwable failure) {
    return failure instanceof RuntimeException unchecked
        ? unchecked
        : new RecoverableException(failure.toString(), failure);
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
