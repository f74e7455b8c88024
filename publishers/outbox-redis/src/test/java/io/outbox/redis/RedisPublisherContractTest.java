package io.outbox.redis;

import io.outbox.testbrokers.PublisherContract;
import io.outbox.testbrokers.PublisherFixture;

class RedisPublisherContractTest extends PublisherContract {

  @Override
  protected PublisherFixture open() {
    return new RedisFixture();
  }
}
