package io.outbox.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.testing.Await;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class TurnsTest {

  private static final int MANY = 9_999;

  private static <T> List<CompletableFuture<T>> take(
      Turns<T> turns, CompletableFuture<T> first, CompletableFuture<T> others) {
    List<CompletableFuture<T>> answers = new ArrayList<>();
    answers.add(turns.take(() -> first));
    for (int i = 0; i < MANY; i++) {
      answers.add(turns.take(() -> others));
    }
    return answers;
  }

  @Test
  void manyThatAreOverdueAreAllToldSo() {
    CompletableFuture<String> first = new CompletableFuture<>();
    Duration patience = Duration.ofSeconds(1);
    Turns<String> turns = new Turns<>(1, patience);
    List<CompletableFuture<String>> answers =
        take(turns, first, CompletableFuture.completedFuture("too late"));
    long since = System.nanoTime();
    Await.until(
        "nobody to have patience any more",
        Duration.ofSeconds(60),
        () -> System.nanoTime() - since > patience.toNanos());
    first.complete("in time");
    assertThat(answers).allMatch(CompletableFuture::isDone);
    assertThat(answers.get(MANY))
        .isCompletedExceptionally()
        .failsWithin(Duration.ZERO)
        .withThrowableThat()
        .withCauseInstanceOf(HttpTimeoutException.class);
  }

  @Test
  void manyThatEndAtOnceAllGetTheirTurn() {
    CompletableFuture<String> first = new CompletableFuture<>();
    Turns<String> turns = new Turns<>(1, Duration.ofMinutes(1));
    List<CompletableFuture<String>> answers =
        take(turns, first, CompletableFuture.failedFuture(new IllegalStateException("closed")));
    first.complete("done");
    assertThat(answers).allMatch(CompletableFuture::isDone);
    assertThat(turns.take(() -> CompletableFuture.completedFuture("next")))
        .isCompletedWithValue("next");
  }
}
