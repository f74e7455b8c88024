package io.outbox.gson;

import io.outbox.spi.JsonCodec;
import io.outbox.testing.contract.JsonCodecContract;

class GsonJsonCodecContractTest extends JsonCodecContract {

  private final JsonCodec codec = new GsonJsonCodec();

  @Override
  protected JsonCodec codec() {
    return codec;
  }
}
