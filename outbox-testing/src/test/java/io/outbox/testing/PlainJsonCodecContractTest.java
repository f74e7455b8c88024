package io.outbox.testing;

import io.outbox.spi.JsonCodec;
import io.outbox.testing.contract.JsonCodecContract;

class PlainJsonCodecContractTest extends JsonCodecContract {

  @Override
  protected JsonCodec codec() {
    return new PlainJsonCodec();
  }

  @Override
  protected boolean mapsObjects() {
    return false;
  }
}
