package io.outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.outbox.spi.JsonCodec;
import io.outbox.testing.contract.JsonCodecContract;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

class Jackson3JsonCodecTest extends JsonCodecContract {

  @Override
  protected JsonCodec codec() {
    return new Jackson3JsonCodec(
        JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build());
  }

  record Snake(String camelCase) {}

  @Test
  void theMapperOfTheApplicationDecidesAboutNames() {
    JsonCodec snakes =
        new Jackson3JsonCodec(
            JsonMapper.builder()
                .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
                .build());

    assertThat(snakes.toJson(new Snake("s"))).isEqualTo("{\"camel_case\":\"s\"}");
    assertThat(snakes.fromJson("{\"camel_case\":\"s\"}", Snake.class)).isEqualTo(new Snake("s"));
  }

  static class Loop {
    public Loop getSelf() {
      return this;
    }
  }

  @Test
  void whatCannotBeWrittenIsNamed() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> codec().toJson(new Loop()))
        .withMessageContaining("Loop as JSON");
  }
}
