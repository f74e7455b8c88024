package io.outbox.internal.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.DispatchResult;
import io.outbox.OutageException;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class AnswersTest {

  private final Answers answers =
      new Answers("a broker", Duration.ofMillis(20), System.getLogger("test"));
  private final Answer answer = answers.expect(new Answer("1"));

  @AfterEach
  void close() {
    answers.close();
  }

  @Test
  void anAnswerThatDoesNotComeIsAnOutage() throws InterruptedException {
    CountDownLatch told = new CountDownLatch(1);
    answers.startTimeouts("test-timeouts-", told::countDown);
    assertThatThrownBy(() -> answer.future().get(60, TimeUnit.SECONDS))
        .hasCauseInstanceOf(OutageException.class)
        .hasMessageContaining("a broker did not acknowledge event 1 within PT0.02S");
    assertThat(told.await(60, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void theFirstAnswerCounts() {
    answer.done();
    answer.outage("too late", null);
    answers.failAll(new OutageException("too late"));
    assertThat(answer.future()).isCompletedWithValue(DispatchResult.done());
  }

  @Test
  void closingWaitsNoLongerThanTheTimeout() {
    answers.await();
    assertThat(answer.future()).isNotDone();
    answers.close();
    assertThat(answer.future().handle((result, failure) -> failure).join())
        .isInstanceOf(OutageException.class)
        .hasMessage("the publisher was closed");
  }

  @Test
  void whatClientsAndFuturesWrapIsUnwrapped() {
    IOException failure = new IOException();
    assertThat(Answer.unwrap(new CompletionException(new RuntimeException(failure))))
        .isSameAs(failure);
    assertThat(Answer.unwrap(failure)).isSameAs(failure);
  }
}
