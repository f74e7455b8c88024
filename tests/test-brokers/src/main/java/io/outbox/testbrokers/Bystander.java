package io.outbox.testbrokers;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** A listener that has nothing to do with the broker, and should not notice what happens to it. */
final class Bystander implements EventListener {

  static final String TYPE = "Unrelated";

  private final Map<Integer, Boolean> seen = new ConcurrentHashMap<>();

  static EventEnvelope event(int n) {
    return EventEnvelope.builder(TYPE)
        .header(TestEvents.SEQUENCE, Integer.toString(n))
        .payloadJson("{}")
        .build();
  }

  @Override
  public DispatchResult onEvent(EventEnvelope event) {
    seen.put(Integer.valueOf(event.headers().get(TestEvents.SEQUENCE)), true);
    return DispatchResult.done();
  }

  /** Which part of the events from the one number up to the other has been delivered. */
  double share(int from, int to) {
    int delivered = 0;
    for (int n = from; n < to; n++) {
      delivered += seen.containsKey(n) ? 1 : 0;
    }
    return to == from ? 1 : (double) delivered / (to - from);
  }
}
