package io.outbox.spring.boot;

import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.outbox.spi.JsonCodec;

class JacksonJsonCodecTest extends JacksonCodecContract {

  @Override
  protected JsonCodec codec() {
    return new JacksonJsonCodec(
        JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build());
  }

  @Override
  JsonCodec snakes() {
    return new JacksonJsonCodec(
        JsonMapper.builder().propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE).build());
  }
}
