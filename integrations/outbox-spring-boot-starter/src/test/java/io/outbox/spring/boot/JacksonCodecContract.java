package io.outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.outbox.spi.JsonCodec;
import io.outbox.testing.contract.JsonCodecContract;
import org.junit.jupiter.api.Test;

/** What holds for the codecs of Jackson 2 and 3. */
abstract class JacksonCodecContract extends JsonCodecContract {

  /** With a mapper that names properties in snake case. */
  abstract JsonCodec snakes();

  record Snake(String camelCase) {}

  @Test
  void theMapperOfTheApplicationDecidesAboutNames() {
    assertThat(snakes().toJson(new Snake("s"))).isEqualTo("{\"camel_case\":\"s\"}");
    assertThat(snakes().fromJson("{\"camel_case\":\"s\"}", Snake.class)).isEqualTo(new Snake("s"));
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
