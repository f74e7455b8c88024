package io.outbox.publishertests.sqs;

import io.outbox.testbrokers.PublisherContract;
import io.outbox.testbrokers.PublisherFixture;
import org.junit.jupiter.api.Order;

@Order(1)
class SqsPublisherContractTest extends PublisherContract {

  @Override
  protected PublisherFixture open() {
    return new SqsFixture(false);
  }

  @Override
  protected PublisherFixture openOrdered() {
    return new SqsFixture(true);
  }
}
