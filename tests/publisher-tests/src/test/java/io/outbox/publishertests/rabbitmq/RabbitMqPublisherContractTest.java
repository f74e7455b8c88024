package io.outbox.publishertests.rabbitmq;

import io.outbox.testbrokers.PublisherContract;
import io.outbox.testbrokers.PublisherFixture;
import org.junit.jupiter.api.Order;

@Order(2)
class RabbitMqPublisherContractTest extends PublisherContract {

  @Override
  protected PublisherFixture open() throws Exception {
    return new RabbitFixture();
  }
}
