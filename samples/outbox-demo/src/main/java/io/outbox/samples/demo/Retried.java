package io.outbox.samples.demo;

import io.outbox.DispatchResult;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import io.outbox.registry.DefaultListenerRegistry;
import java.io.IOException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** A mail server that is down for two attempts. */
final class Retried implements Chapter {

  private static final int FAILURES = 2;

  private final BlockingQueue<Long> calls = new LinkedBlockingQueue<>();
  private final AtomicInteger failuresLeft = new AtomicInteger(FAILURES);

  @Override
  public String title() {
    return "A listener that fails is called again, later and later";
  }

  @Override
  public void register(DefaultListenerRegistry listeners) {
    listeners.register(
        "ReceiptWanted",
        event -> {
          calls.add(System.nanoTime());
          if (failuresLeft.getAndDecrement() > 0) {
            throw new IOException("the mail server does not answer");
          }
          return DispatchResult.done();
        });
  }

  @Override
  public void tell(Stage stage, Narrator narrator) throws Exception {
    narrator.say("The mail server is down twice, then it works.");
    long committing;
    try (Transaction transaction = stage.transactions().begin()) {
      stage.writer().write("ReceiptWanted", "{\"orderId\": \"A-0\"}");
      committing = System.nanoTime();
      transaction.commit();
    }
    for (int attempt = 1; attempt <= FAILURES + 1; attempt++) {
      long called = Promise.next(calls, "attempt " + attempt + " is made");
      narrator.fact(
          "attempt " + attempt,
          "%s, %s after commit()",
          attempt <= FAILURES ? "fails" : "succeeds",
          Narrator.millis(called - committing));
    }
    stage.awaitNothingPending();
    Promise.that(calls.isEmpty(), "there is no attempt after the one that succeeded");
  }
}
