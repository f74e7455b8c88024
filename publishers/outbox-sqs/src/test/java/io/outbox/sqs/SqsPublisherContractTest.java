package io.outbox.sqs;

import io.outbox.testbrokers.PublisherContract;
import io.outbox.testbrokers.PublisherFixture;

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
