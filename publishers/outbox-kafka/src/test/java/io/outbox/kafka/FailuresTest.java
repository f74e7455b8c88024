package io.outbox.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.OutageException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.BufferExhaustedException;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.CorruptRecordException;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.NetworkException;
import org.apache.kafka.common.errors.NotEnoughReplicasException;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.ThrottlingQuotaExceededException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownServerException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class FailuresTest {

  @AutoClose
  private final MockProducer<byte[], byte[]> producer =
      new MockProducer<>(false, null, new ByteArraySerializer(), new ByteArraySerializer());

  private final KafkaPublisher publisher =
      KafkaPublisher.builder().producer(producer).destination("orders").build();

  private CompletableFuture<DispatchResult> publish() {
    return publisher.onEvent(EventEnvelope.ofJson("OrderPlaced", "{}")).toCompletableFuture();
  }

  private CompletableFuture<DispatchResult> answerTo(RuntimeException failure) {
    CompletableFuture<DispatchResult> answer = publish();
    producer.errorNext(failure);
    return answer;
  }

  private static Throwable failureOf(CompletableFuture<DispatchResult> answer) {
    return answer
        .handle(
            (result, failure) ->
                failure instanceof CompletionException ? failure.getCause() : failure)
        .join();
  }

  @Test
  void anEventIsDoneWhenItIsAcknowledgedAndNotBefore() {
    CompletableFuture<DispatchResult> answer = publish();
    assertThat(answer).isNotDone();
    producer.completeNext();
    assertThat(answer).isCompletedWithValue(DispatchResult.done());
  }

  static Stream<RuntimeException> outages() {
    return Stream.of(
        new TimeoutException("Expiring 1 record(s)"),
        new BufferExhaustedException("full"),
        new NetworkException("gone"),
        new DisconnectException("gone"),
        new NotEnoughReplicasException("1 of 2"),
        new NotLeaderOrFollowerException("moved"),
        new SaslAuthenticationException("wrong password"),
        new ClusterAuthorizationException("no"),
        new OutOfOrderSequenceException("7"),
        new InvalidTimestampException("tomorrow"),
        new KafkaException("Producer is closed forcefully."),
        new KafkaException("in an error state", new ClusterAuthorizationException("no")),
        new KafkaException("in an error state", new InvalidTopicException("of another event")));
  }

  @ParameterizedTest
  @MethodSource("outages")
  void anOutageIsNotTheEventsFault(RuntimeException failure) {
    assertThat(failureOf(answerTo(failure)))
        .isInstanceOf(OutageException.class)
        .hasMessageContaining("orders")
        .hasCause(failure);
  }

  static Stream<RuntimeException> rejections() {
    return Stream.of(
        new RecordTooLargeException("2 MB"),
        new InvalidTopicException("a/b"),
        new PolicyViolationException("no"));
  }

  @ParameterizedTest
  @MethodSource("rejections")
  void whatIsRejectedForGoodIsDeadWithTheReason(RuntimeException failure) {
    DispatchResult result = answerTo(failure).join();
    assertThat(result)
        .isInstanceOfSatisfying(
            DispatchResult.Dead.class,
            dead -> assertThat(dead.reason()).contains("orders").contains(failure.getMessage()));
  }

  static Stream<RuntimeException> outagesOfTheTopic() {
    return Stream.of(
        new TopicAuthorizationException("orders"),
        new UnknownTopicOrPartitionException("orders"),
        new TimeoutException("not present", new UnknownTopicOrPartitionException("orders")));
  }

  @ParameterizedTest
  @MethodSource("outagesOfTheTopic")
  void R25_aTopicThatIsMissingOrForbiddenIsAnOutageOfThatTopic(RuntimeException failure) {
    assertThat(failureOf(answerTo(failure)))
        .isInstanceOfSatisfying(
            OutageException.class,
            outage -> {
              assertThat(outage.destination()).isEqualTo("topic orders");
              assertThat(outage).hasCause(failure);
            });
  }

  static Stream<RuntimeException> others() {
    return Stream.of(
        new CorruptRecordException("on its way"), new UnknownServerException("something else"));
  }

  @ParameterizedTest
  @MethodSource("others")
  void allElseIsAFailureThatIsRetried(RuntimeException failure) {
    assertThat(failureOf(answerTo(failure)))
        .isNotInstanceOf(OutageException.class)
        .isSameAs(failure);
  }

  @Test
  void aThrottledEventWaitsAsLongAsTheBrokerSays() {
    assertThat(answerTo(new ThrottlingQuotaExceededException(700, "slowly")))
        .isCompletedWithValue(DispatchResult.retryAfter(Duration.ofMillis(700)));
  }

  @Test
  void aBrokerThatNamesNoTimeIsNotAskedAtOnce() {
    assertThat(answerTo(new ThrottlingQuotaExceededException(0, "slowly")))
        .isCompletedWithValue(DispatchResult.retryAfter(Duration.ofMillis(100)));
  }

  @Test
  void aClosedProducerIsAnOutage() {
    producer.close();
    assertThat(failureOf(publish())).isInstanceOf(OutageException.class);
  }
}
