package io.outbox.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.PayloadParseException;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PlainJsonCodecTest {

  private final PlainJsonCodec codec = new PlainJsonCodec();

  @Test
  void plainValuesAreWritten() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("list", Arrays.asList(1, null, true, "a\"\\\n\t b", List.of(), Map.of()));
    map.put("n", new BigDecimal("1.50"));

    assertThat(codec.toJson(map))
        .isEqualTo("{\"list\":[1,null,true,\"a\\\"\\\\\\n\\u0009 b\",[],{}],\"n\":1.50}");
    assertThatThrownBy(() -> codec.toJson(Thread.currentThread()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("java.lang.Thread");
  }

  @Test
  void plainValuesAreRead() {
    Object value =
        codec.fromJson(
            " { \"a\" : [ 1 , -2.5e3 , true , false , null , \"\\u00e9\\/\\b\\f\\n\\r\\t\" ] , \"b\" : { } } ",
            Object.class);

    assertThat(value)
        .isEqualTo(
            Map.of(
                "a",
                Arrays.asList(1L, new BigDecimal("-2.5e3"), true, false, null, "é/\b\f\n\r\t"),
                "b",
                Map.of()));
    assertThat(readList("[]")).isEmpty();
    assertThat((Object) codec.fromJson("null", Map.class)).isNull();
  }

  @Test
  void largeNumbersKeepTheirDigits() {
    assertThat(codec.fromJson("999999999999999999", Object.class)).isEqualTo(999999999999999999L);
    assertThat(codec.fromJson("1234567890123456789", Object.class))
        .isEqualTo(new BigDecimal("1234567890123456789"));
    assertThat(codec.fromJson("1.0", Object.class)).isEqualTo(new BigDecimal("1.0"));
    assertThat(codec.fromJson("1e2", Object.class)).isEqualTo(new BigDecimal("1e2"));
  }

  @Test
  void aNameThatIsThereTwiceIsRefused() {
    assertThatThrownBy(() -> codec.parseStringMap("{\"a\":\"1\",\"a\":\"2\"}"))
        .isInstanceOf(PayloadParseException.class)
        .hasMessageContaining("'a'");
  }

  @Test
  void nestingHasALimitOfDepthAndNotOfNumber() {
    assertThat(readList("[".repeat(256) + "]".repeat(256))).hasSize(1);
    assertThatThrownBy(() -> readList("[".repeat(257) + "]".repeat(257)))
        .isInstanceOf(PayloadParseException.class);
    assertThat(readList("[" + "[],[[0]],".repeat(300) + "0]")).hasSize(601);
  }

  private List<?> readList(String json) {
    return codec.fromJson(json, List.class);
  }
}
