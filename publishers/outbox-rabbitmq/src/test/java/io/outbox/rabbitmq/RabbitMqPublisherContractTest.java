package io.outbox.rabbitmq;

import io.outbox.testbrokers.PublisherContract;
import io.outbox.testbrokers.PublisherFixture;

class RabbitMqPublisherContractTest extends PublisherContract {

  @Override
  protected PublisherFixture open() throws Exception {
    return new RabbitFixture();
  }
}
