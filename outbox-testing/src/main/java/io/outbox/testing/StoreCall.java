package io.outbox.testing;

import java.util.List;
import java.util.Objects;

/**
 * One call of an {@link InMemoryDatabase} or its store.
 *
 * @param eventIds the events named in the call; empty if it names none
 */
public record StoreCall(StoreOperation operation, List<String> eventIds) {

  public StoreCall {
    Objects.requireNonNull(operation, "operation");
    eventIds = List.copyOf(Objects.requireNonNull(eventIds, "eventIds"));
  }
}
