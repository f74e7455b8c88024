package io.outbox.samples.subscriptions;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Sends mails through a server that refuses the first try of every message. */
final class Mail implements EventListener {

  private final Set<String> tried = ConcurrentHashMap.newKeySet();
  private final AtomicInteger sent = new AtomicInteger();

  @Override
  public DispatchResult onEvent(EventEnvelope event) {
    if (tried.add(event.eventId())) {
      throw new IllegalStateException("the mail server says: try again later");
    }
    sent.incrementAndGet();
    return DispatchResult.done();
  }

  int sent() {
    return sent.get();
  }
}
