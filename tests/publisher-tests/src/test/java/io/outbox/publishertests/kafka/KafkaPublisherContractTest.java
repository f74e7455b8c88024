package io.outbox.publishertests.kafka;

import io.outbox.testbrokers.PublisherContract;
import io.outbox.testbrokers.PublisherFixture;
import org.junit.jupiter.api.Order;

@Order(2)
class KafkaPublisherContractTest extends PublisherContract {

  @Override
  protected PublisherFixture open() throws Exception {
    return new KafkaFixture();
  }
}
