package io.outbox.publishertests.redis;

import io.outbox.testbrokers.PublisherContract;
import io.outbox.testbrokers.PublisherFixture;
import org.junit.jupiter.api.Order;

@Order(2)
class RedisPublisherContractTest extends PublisherContract {

  @Override
  protected PublisherFixture open() {
    return new RedisFixture();
  }
}
