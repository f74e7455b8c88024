package io.outbox.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.fakes.CapturedLogs;
import java.lang.System.Logger;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import org.junit.jupiter.api.Test;

class RepeatedWarningTest {

  private static final Logger LOG = System.getLogger(RepeatedWarningTest.class.getName());

  private final RepeatedWarning warning = new RepeatedWarning(LOG, Logger.Level.WARNING);

  @Test
  void ofManyEqualMessagesTheFirstIsLogged() {
    AtomicInteger made = new AtomicInteger();
    for (int i = 0; i < 1_000; i++) {
      int number = i;
      warning.log(
          () -> {
            made.incrementAndGet();
            return "message " + number;
          });
    }

    assertThat(CapturedLogs.of(RepeatedWarningTest.class, Level.WARNING))
        .containsExactly("message 0");
    assertThat(made).as("nothing is built that is not logged").hasValue(1);
  }

  @Test
  void eachKindOfMessageIsCountedByItself() {
    warning.log(() -> "one");
    new RepeatedWarning(LOG, Logger.Level.WARNING).log(() -> "other", new Exception("why"));

    assertThat(CapturedLogs.of(RepeatedWarningTest.class, Level.WARNING))
        .containsExactly("one", "other");
  }

  @Test
  void theNextIntervalTellsHowManyThereWere() {
    RepeatedWarning impatient = new RepeatedWarning(LOG, Logger.Level.WARNING, 100_000_000);
    impatient.log(() -> "first");
    impatient.log(() -> "second");
    await()
        .until(
            () -> {
              impatient.log(() -> "later");
              return CapturedLogs.of(RepeatedWarningTest.class, Level.WARNING).size() == 2;
            });

    assertThat(CapturedLogs.of(RepeatedWarningTest.class, Level.WARNING).get(1))
        .matches("later \\(and \\d+ more like it before\\)");
  }

  @Test
  void manyThreadsLogOneMessage() {
    CompletableFuture<?>[] threads = new CompletableFuture<?>[4];
    for (int i = 0; i < threads.length; i++) {
      threads[i] =
          CompletableFuture.runAsync(
              () -> {
                for (int j = 0; j < 1_000; j++) {
                  warning.log(() -> "message");
                }
              });
    }
    CompletableFuture.allOf(threads).join();

    assertThat(CapturedLogs.of(RepeatedWarningTest.class, Level.WARNING)).hasSize(1);
  }
}
