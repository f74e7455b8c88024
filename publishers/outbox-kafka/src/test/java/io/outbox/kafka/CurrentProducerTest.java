package io.outbox.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.OutageException;
import io.outbox.publish.Destination;
import io.outbox.publish.MessageFormat;
import io.outbox.testing.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.NetworkException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of a producer that Kafka's client has given up. */
@Timeout(120)
class CurrentProducerTest {

  private static final KafkaException GIVEN_UP =
      new KafkaException("in an error state", new SaslAuthenticationException("old password"));

  private final AtomicLong nanos = new AtomicLong();
  private final List<MockProducer<byte[], byte[]>> made = new ArrayList<>();
  private boolean noMore;
  private final CurrentProducer producer = CurrentProducer.own(this::make, nanos::get);

  private Producer<byte[], byte[]> make() {
    if (noMore) {
      throw new KafkaException("Failed to construct kafka producer");
    }
    ByteArraySerializer serializer = new ByteArraySerializer();
    made.add(new MockProducer<>(false, null, serializer, serializer));
    return made.get(made.size() - 1);
  }

  @AfterEach
  void close() {
    made.forEach(MockProducer::close);
  }

  private CompletableFuture<DispatchResult> publish(Duration bound) {
    KafkaPublisher publisher =
        new KafkaPublisher(producer, Destination.template("orders"), MessageFormat.plain(), bound);
    return publisher.onEvent(EventEnvelope.ofJson("OrderPlaced", "{}")).toCompletableFuture();
  }

  private CompletableFuture<DispatchResult> publish() {
    return publish(Duration.ofMinutes(1));
  }

  private static void assertOutage(CompletableFuture<DispatchResult> answer) {
    assertThat(answer)
        .failsWithin(Duration.ofSeconds(60))
        .withThrowableThat()
        .havingCause()
        .isInstanceOf(OutageException.class);
  }

  private void giveUp() {
    CompletableFuture<DispatchResult> answer = publish();
    made.get(made.size() - 1).errorNext(GIVEN_UP);
    assertOutage(answer);
  }

  private void pass(Duration time) {
    nanos.addAndGet(time.toNanos());
  }

  @Test
  void oneThatWasGivenUpIsReplacedAndDeliveryGoesOn() {
    pass(CurrentProducer.RENEWAL_PAUSE);
    giveUp();
    CompletableFuture<DispatchResult> answer = publish();
    assertThat(made).hasSize(2);
    made.get(1).completeNext();
    assertThat(answer).isCompletedWithValue(DispatchResult.done());
    Await.until("the old one to be closed", Duration.ofSeconds(60), () -> made.get(0).closed());
  }

  @Test
  void notMoreOftenThanItMay() {
    pass(CurrentProducer.RENEWAL_PAUSE);
    giveUp();
    giveUp(); // the second one
    publish();
    pass(CurrentProducer.RENEWAL_PAUSE.minusNanos(1));
    publish();
    assertThat(made).hasSize(2);
    pass(Duration.ofNanos(1));
    publish();
    assertThat(made).hasSize(3);
  }

  @Test
  void oneThatOnlyLostItsConnectionStays() {
    pass(CurrentProducer.RENEWAL_PAUSE);
    CompletableFuture<DispatchResult> answer = publish();
    made.get(0).errorNext(new NetworkException("gone"));
    assertOutage(answer);
    publish();
    assertThat(made).hasSize(1);
  }

  @Test
  void aNeighborOfABadRecordDoesNotEndTheProducer() {
    pass(CurrentProducer.RENEWAL_PAUSE);
    CompletableFuture<DispatchResult> answer = publish();
    made.get(0).errorNext(new KafkaException("it was part of a batch which had invalid records"));
    assertThat(answer).isCompletedWithValue(DispatchResult.retryAfter(Duration.ofMillis(100)));
    publish();
    assertThat(made).hasSize(1);
  }

  @Test
  void oneThatNeverAnswersIsAnOutageAndReplaced() {
    pass(CurrentProducer.RENEWAL_PAUSE);
    assertOutage(publish(Duration.ofMillis(100)));
    publish();
    assertThat(made).hasSize(2);
  }

  @Test
  void whileThereCannotBeAnotherItIsAnOutage() {
    pass(CurrentProducer.RENEWAL_PAUSE);
    giveUp();
    noMore = true;
    assertThat(catchThrowable(this::publish)).isInstanceOf(OutageException.class);
    noMore = false;
    pass(CurrentProducer.RENEWAL_PAUSE);
    CompletableFuture<DispatchResult> answer = publish();
    made.get(1).completeNext();
    assertThat(answer).isCompletedWithValue(DispatchResult.done());
  }

  @Test
  void afterTheEndThereIsNoOther() {
    pass(CurrentProducer.RENEWAL_PAUSE);
    producer.close();
    assertOutage(publish());
    assertOutage(publish());
    assertThat(made).hasSize(1);
  }

  @Test
  void oneThatWasGivenToUsIsNeitherReplacedNorClosed() {
    Producer<byte[], byte[]> yours = make();
    CurrentProducer given = CurrentProducer.given(yours);
    given.isOver(yours);
    assertThat(given.get()).isSameAs(yours);
    given.close();
    assertThat(made.get(made.size() - 1).closed()).isFalse();
  }
}
