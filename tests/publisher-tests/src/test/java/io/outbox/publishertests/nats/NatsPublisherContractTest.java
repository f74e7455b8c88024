package io.outbox.publishertests.nats;

import io.outbox.testbrokers.PublisherContract;
import io.outbox.testbrokers.PublisherFixture;
import org.junit.jupiter.api.Order;

@Order(2)
class NatsPublisherContractTest extends PublisherContract {

  @Override
  protected PublisherFixture open() throws Exception {
    return new NatsFixture();
  }
}
