package io.outbox.spring.boot;

import io.outbox.spi.JsonCodec;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

class Jackson3JsonCodecTest extends JacksonCodecContract {

  @Override
  protected JsonCodec codec() {
    return new Jackson3JsonCodec(
        JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build());
  }

  @Override
  JsonCodec snakes() {
    return new Jackson3JsonCodec(
        JsonMapper.builder().propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE).build());
  }
}
