package io.outbox.testing;

import java.util.List;

/**
 * One call of an {@link InMemoryDatabase} or its store.
 *
 * @param eventIds the events named in the call; empty if it names none
 */
public record StoreCall(StoreOperation operation, List<String> eventIds) {

  public StoreCall {
    eventIds = List.copyOf(eventIds);
  }
}
