package io.outbox.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.PayloadParseException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonCodecTest {

  /** Reads everything as the value it was made with. */
  private record Fixed(Object value) implements JsonCodec {
    @Override
    public String toJson(Object obj) {
      return "{}";
    }

    @Override
    public <T> T fromJson(String json, Class<T> type) {
      return type.cast(value);
    }
  }

  @AfterEach
  void forgetCodec() {
    JsonCodec.setDefault(null);
  }

  @Test
  void theCodecThatWasSetIsTheDefault() {
    JsonCodec first = new Fixed(1);
    JsonCodec second = new Fixed(2);
    JsonCodec.setDefault(first);
    assertThat(JsonCodec.getDefault()).isSameAs(first);
    JsonCodec.setDefault(second);
    assertThat(JsonCodec.getDefault()).isSameAs(second);
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(strings = {"", " ", "\n", "null", " null\n"})
  void noTextIsAnEmptyMap(String json) {
    assertThat(new Fixed("not asked").parseStringMap(json)).isEmpty();
  }

  @Test
  void aMapOfStringsKeepsItsOrder() {
    Map<String, String> map = new LinkedHashMap<>();
    map.put("z", "1");
    map.put("a", "2");

    assertThat(new Fixed(map).parseStringMap("{…}")).containsExactlyEntriesOf(map);
    assertThat(new Fixed(null).parseStringMap("nothing")).isEmpty();
  }

  @Test
  void valuesThatAreNoStringsAreRefused() {
    Map<String, Object> withNull = new LinkedHashMap<>();
    withNull.put("key", null);
    for (Map<?, ?> map :
        List.of(Map.of("key", 1), Map.of("key", true), Map.of("key", Map.of()), withNull)) {
      assertThatThrownBy(() -> new Fixed(map).parseStringMap("{…}"))
          .isInstanceOf(PayloadParseException.class)
          .hasMessageContaining("'key'");
    }
    assertThatThrownBy(() -> new Fixed(Map.of(1, "value")).parseStringMap("{…}"))
        .isInstanceOf(PayloadParseException.class);
  }
}
