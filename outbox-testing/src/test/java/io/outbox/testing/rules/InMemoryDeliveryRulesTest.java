package io.outbox.testing.rules;

import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.OutboxStore;
import io.outbox.testing.InMemoryOutboxStore;

class InMemoryDeliveryRulesTest extends DeliveryRulesContract {

  private final InMemoryOutboxStore store = new InMemoryOutboxStore();

  @Override
  protected OutboxStore store() {
    return store;
  }

  @Override
  protected ConnectionProvider connections() {
    return store.database();
  }

  @Override
  protected void deleteAllEvents() {
    // each test has its own store
  }

  @Override
  protected boolean isReadyForOrderByKey() {
    return true;
  }
}
