package io.outbox.faults.node;

import io.outbox.AsyncEventListener;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.it.KeyJournal;
import io.outbox.model.EventKey;
import java.util.function.ToLongFunction;

/** Writes down each call of a listener and its end. */
public final class JournaledListener {

  private final KeyJournal journal;
  private final ToLongFunction<EventKey> epoch;

  /**
   * @param epoch under which the node has the lane of a key
   */
  public JournaledListener(KeyJournal journal, ToLongFunction<EventKey> epoch) {
    this.journal = journal;
    this.epoch = epoch;
  }

  public EventListener of(EventListener listener) {
    return event -> {
      long call = called(event);
      boolean done = false;
      try {
        DispatchResult result = listener.onEvent(event);
        done = result instanceof DispatchResult.Done;
        return result;
      } finally {
        journal.returned(call, done);
      }
    };
  }

  public EventListener ofPublisher(AsyncEventListener publisher) {
    AsyncEventListener journaled =
        event -> {
          long call = called(event);
          return publisher
              .onEvent(event)
              .whenComplete(
                  (result, failure) ->
                      journal.returned(call, result instanceof DispatchResult.Done));
        };
    return journaled.asEventListener();
  }

  private long called(EventEnvelope event) {
    return journal.called(event.eventId(), epoch.applyAsLong(EventKey.of(event)));
  }
}
