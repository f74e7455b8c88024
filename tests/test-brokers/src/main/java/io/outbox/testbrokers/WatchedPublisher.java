package io.outbox.testbrokers;

import io.outbox.AsyncEventListener;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.OutageException;
import io.outbox.publish.Addressed;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

/** A publisher whose answers are counted. */
final class WatchedPublisher implements AsyncEventListener, Addressed {

  private final AsyncEventListener publisher;
  private final AtomicInteger done = new AtomicInteger();
  private final AtomicInteger outages = new AtomicInteger();
  private final AtomicInteger ofOthers = new AtomicInteger();

  WatchedPublisher(AsyncEventListener publisher) {
    this.publisher = publisher;
  }

  @Override
  public String destinationOf(EventEnvelope event) {
    return ((Addressed) publisher).destinationOf(event);
  }

  @Override
  public CompletionStage<DispatchResult> onEvent(EventEnvelope event) throws Exception {
    return publisher.onEvent(event).whenComplete((result, failure) -> count(event, failure));
  }

  private void count(EventEnvelope event, Throwable failure) {
    Throwable reason = failure instanceof CompletionException ? failure.getCause() : failure;
    if (reason == null) {
      done.incrementAndGet();
    } else if (reason instanceof OutageException outage) {
      outages.incrementAndGet();
      if (!destinationOf(event).equals(outage.destination())) {
        ofOthers.incrementAndGet();
      }
    }
  }

  /** How many answers were results, of whatever kind. */
  int done() {
    return done.get();
  }

  int outages() {
    return outages.get();
  }

  /** How many outages were not those of the event's own destination. */
  int outagesOfOthers() {
    return ofOthers.get();
  }
}
