package io.outbox.micronaut.listeners;

import io.micronaut.context.annotation.Requires;
import io.outbox.spi.TxContext;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** What listeners got. */
@Singleton
@Requires(property = "spec", value = "kinds")
public class Heard {

  private final Map<String, List<Object>> values = new ConcurrentHashMap<>();
  private final TxContext txContext;

  public Heard(TxContext txContext) {
    this.txContext = txContext;
  }

  void add(String type, Object value) {
    values.computeIfAbsent(type, key -> new CopyOnWriteArrayList<>()).add(value);
  }

  int count(String type) {
    return of(type).size();
  }

  boolean isInTransaction() {
    return txContext.isTransactionActive();
  }

  /** The values of an event type. */
  public List<Object> of(String type) {
    return values.getOrDefault(type, List.of());
  }
}
