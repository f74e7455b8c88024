package io.outbox.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.PayloadParseException;
import io.outbox.spi.JsonCodec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What every {@link JsonCodec} must do. */
public abstract class JsonCodecContract {

  protected JsonCodecContract() {}

  /** The codec under test. */
  protected abstract JsonCodec codec();

  /** Override to return false if the codec reads and writes maps and lists only. */
  protected boolean mapsObjects() {
    return true;
  }

  /** An object as a user might send it. */
  public record Order(String id, int quantity, boolean paid, List<String> tags, Address to) {}

  /** Part of an {@link Order}. */
  public record Address(String street, String note) {}

  @Test
  protected void anObjectComesBack() {
    Order order =
        new Order("o-1", 3, true, List.of("new", "ünï \"😀\" \\ \n"), new Address("A 1", null));

    if (!mapsObjects()) {
      assertThatThrownBy(() -> codec().toJson(order)).hasMessageContaining("Order");
      return;
    }
    assertThat(codec().fromJson(codec().toJson(order), Order.class)).isEqualTo(order);
  }

  @Test
  protected void unknownFieldsAreNoReasonToFail() {
    String json = "{\"street\":\"A 1\",\"note\":\"n\",\"added\":{\"later\":[1]}}";

    if (!mapsObjects()) {
      assertThatThrownBy(() -> codec().fromJson(json, Address.class))
          .isInstanceOf(PayloadParseException.class);
      return;
    }
    assertThat(codec().fromJson(json, Address.class)).isEqualTo(new Address("A 1", "n"));
  }

  @Test
  protected void aMapOfStringsComesBackInItsOrder() {
    Map<String, String> map = new LinkedHashMap<>();
    map.put("zeta", "1");
    map.put("alpha", "");
    map.put("Ключ \"ü\" 😀", "line\nbreak \\ / \" <b>&'= \u2028 \u0000 end");

    assertThat(codec().parseStringMap(codec().toJson(map))).containsExactlyEntriesOf(map);
  }

  @Test
  protected void wholeNumbersOfAMapStayWhole() {
    Map<?, ?> map = codec().fromJson("{\"id\":9007199254740993,\"n\":1}", Map.class);

    assertThat(((Number) map.get("id")).longValue()).isEqualTo(9007199254740993L);
    assertThat(map.get("n")).hasToString("1");
  }

  @Test
  protected void whatIsWrittenIsOneJsonValueWithoutLineBreaks() {
    String json = codec().toJson(Map.of("key", "a\nb"));

    assertThat(json).isEqualTo("{\"key\":\"a\\nb\"}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "{",
        "{\"a\":1",
        "{\"a\":1}}",
        "{\"a\":1} x",
        "{a:1}",
        "{'a':1}",
        "{\"a\":1,}",
        "{\"a\"=1}",
        "{\"a\":01}",
        "{\"a\":nul}",
        "// c\n{}",
        "{\"a\":NaN}",
        "{\"a\":\"\n\"}",
        "{\"a\":\"\\x\"}",
        "{\"a\":1}{\"b\":2}",
        ")]}'\n{}",
        "{\"a\":1;\"b\":2}",
        "[1,2",
      })
  protected void whatIsNotJsonIsRefused(String json) {
    assertThatThrownBy(() -> codec().fromJson(json, Map.class))
        .isInstanceOf(PayloadParseException.class)
        .message()
        .isNotBlank();
  }

  @ParameterizedTest
  @ValueSource(strings = {"[1]", "1", "\"text\"", "true"})
  protected void anotherKindOfValueIsRefused(String json) {
    assertThatThrownBy(() -> codec().fromJson(json, Map.class))
        .isInstanceOf(PayloadParseException.class)
        .hasMessageContaining("Map");
  }

  @ParameterizedTest
  @ValueSource(strings = {"{\"quantity\":\"many\"}", "{\"tags\":\"one\"}", "{\"to\":[]}", "[]"})
  protected void anotherTypeOfFieldIsRefused(String json) {
    assertThatThrownBy(() -> codec().fromJson(json, Order.class))
        .isInstanceOf(PayloadParseException.class)
        .hasMessageContaining("Order");
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(strings = {"", " ", "\n\t", "null", " null ", "{}", " { } "})
  protected void noHeadersAreAnEmptyMap(String json) {
    assertThat(codec().parseStringMap(json)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"a\":1}",
        "{\"a\":true}",
        "{\"a\":null}",
        "{\"a\":{}}",
        "{\"a\":[]}",
        "{\"a\":\"b\",\"c\":2}",
        "[]",
        "[\"a\"]",
        "\"a\"",
        "1",
        "true",
        "nul",
        "{",
        "{\"a\":\"b\"} x",
        "{a:\"b\"}",
        "{\"a\":b}",
        "{\"a\":\"b\"}{}",
        "NULL",
      })
  protected void whatIsNoObjectOfStringsIsNoHeaders(String json) {
    assertThatThrownBy(() -> codec().parseStringMap(json))
        .isInstanceOf(PayloadParseException.class)
        .message()
        .isNotBlank();
  }

  @Test
  protected void deepNestingIsNoReasonToCrash() {
    String json = "{\"a\":" + "[".repeat(100_000) + "]".repeat(100_000) + "}";
    try {
      Map<?, ?> map = codec().fromJson(json, Map.class);
      assertThat(map.get("a")).isNotNull();
    } catch (PayloadParseException refused) {
      assertThat(refused).message().isNotBlank();
    }
  }

  @Test
  protected void manyThreadsUseOneCodec() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Future<Boolean>> results = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        Map<String, String> map = Map.of("key", "value " + i);
        results.add(threads.submit(() -> codec().parseStringMap(codec().toJson(map)).equals(map)));
      }
      for (Future<Boolean> result : results) {
        assertThat(result.get(30, TimeUnit.SECONDS)).isTrue();
      }
    } finally {
      threads.shutdownNow();
    }
  }
}
