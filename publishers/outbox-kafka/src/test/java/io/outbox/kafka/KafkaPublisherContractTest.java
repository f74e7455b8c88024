package io.outbox.kafka;

import io.outbox.testbrokers.PublisherContract;
import io.outbox.testbrokers.PublisherFixture;

class KafkaPublisherContractTest extends PublisherContract {

  @Override
  protected PublisherFixture open() throws Exception {
    return new KafkaFixture();
  }
}
