package io.outbox.nats;

import static org.assertj.core.api.Assertions.assertThat;

import io.nats.client.JetStreamApiException;
import io.nats.client.api.PublishAck;
import io.nats.client.impl.NatsMessage;
import io.outbox.DispatchResult;
import io.outbox.OutageException;
import io.outbox.RecoverableException;
import io.outbox.internal.publish.Answer;
import java.io.IOException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class FailuresTest {

  private final Answer answer = new Answer("1");

  @ParameterizedTest
  @CsvSource({
    "400, 10054, DEAD", // message size exceeds maximum allowed
    "503, 10077, RETRY_AFTER", // maximum messages exceeded
    "503, 10023, RETRY_AFTER", // insufficient resources
    "500, 10028, RETRY_AFTER", // memory
    "500, 10047, RETRY_AFTER", // storage
    "503, 10008, OUTAGE", // cluster unavailable
    "503, 10076, OUTAGE", // JetStream not enabled
    "400, 10109, RETRY", // stream sealed
    "404, 10059, RETRY" // stream not found
  })
  void whatJetStreamRefuses(int code, int apiCode, String expected) throws IOException {
    Failures.answer(answer, refused(code, apiCode));
    assertThat(kind()).isEqualTo(expected);
  }

  @ParameterizedTest
  @MethodSource("outages")
  void aConnectionThatDoesNotAnswerIsAnOutage(Throwable failure) {
    Failures.answer(answer, failure);
    assertThat(kind()).isEqualTo("OUTAGE");
  }

  static Stream<Throwable> outages() {
    return Stream.of(
        new IOException("broken pipe"),
        new CancellationException("response not registered in time"),
        new TimeoutException(),
        new IllegalStateException("Connection is Closed"),
        new IllegalStateException("Unable to queue any more messages during reconnect"),
        new OutageException("not connected"));
  }

  @Test
  void aClientWhoseQueueIsFullIsThrottling() {
    Failures.answer(answer, new IllegalStateException("Output queue is full 5000"));
    assertThat(kind()).isEqualTo("RETRY_AFTER");
  }

  @Test
  void whatTheClientRefusesToSendIsDead() {
    Failures.answer(answer, new IllegalArgumentException("Message payload size exceed"));
    assertThat(kind()).isEqualTo("DEAD");
  }

  @Test
  void anythingElseIsRetried() {
    Failures.answer(answer, new NullPointerException());
    assertThat(kind()).isEqualTo("RETRY");
  }

  @Test
  void whatTheClientWrapsIsUnwrapped() {
    IOException failure = new IOException("Error Publishing: 503 No Responders Available");
    Throwable unwrapped = Answer.unwrap(new CompletionException(new RuntimeException(failure)));
    assertThat(unwrapped).isSameAs(failure);
    assertThat(Failures.isNoResponders(unwrapped)).isTrue();
    assertThat(Failures.isNoResponders(new IOException("broken pipe"))).isFalse();
  }

  private static JetStreamApiException refused(int code, int apiCode) throws IOException {
    String reply =
        "{\"error\":{\"code\":%d,\"err_code\":%d,\"description\":\"because\"}}"
            .formatted(code, apiCode);
    try {
      new PublishAck(NatsMessage.builder().subject("reply").data(reply).build());
    } catch (JetStreamApiException e) {
      return e;
    }
    throw new AssertionError("it is an error: " + reply);
  }

  private String kind() {
    return answer
        .future()
        .handle(
            (result, failure) -> {
              if (failure != null) {
                return failure instanceof OutageException
                    ? "OUTAGE"
                    : failure instanceof RecoverableException ? "RETRY" : failure.toString();
              }
              return result instanceof DispatchResult.Dead ? "DEAD" : "RETRY_AFTER";
            })
        .getNow("NOTHING");
  }
}
