package io.outbox.nats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nats.client.impl.Headers;
import io.outbox.UnrecoverableException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HeaderTextTest {

  @ParameterizedTest
  @ValueSource(
      strings = {"", "plain", "100 %", "Grüße, 世界 🎉", "a\r\nb", " x", "x ", " ", "\u0000\u007f%"})
  void aValueCanBeReadAgain(String value) {
    Headers headers = HeaderText.of(Map.of("name", value), false);
    String sent = headers.getFirst("name");
    assertThat(sent).matches("\\p{ASCII}*").isEqualTo(sent.strip());
    boolean encoded = headers.containsKey(HeaderText.ENCODED);
    assertThat(encoded ? decode(sent) : sent).isEqualTo(value);
  }

  private static String decode(String value) {
    return URLDecoder.decode(value.replace("+", "%2B"), StandardCharsets.UTF_8);
  }

  @Test
  void onlyWeSayWhatIsEncoded() {
    Headers headers = HeaderText.of(Map.of(HeaderText.ENCODED, "name", "name", "%41"), false);
    assertThat(headers.containsKey(HeaderText.ENCODED)).isFalse();
    assertThat(headers.getFirst("name")).isEqualTo("%41");
  }

  @Test
  void anAttributeOfACloudEventIsEncodedAsItsReadersExpect() {
    Headers headers = HeaderText.of(Map.of("ce-subject", "a \"b\" 1%ü"), true);
    assertThat(headers.getFirst("ce-subject")).isEqualTo("a%20%22b%22%201%25%C3%BC");
    assertThat(headers.containsKey(HeaderText.ENCODED)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a b", "a:b", "a,b", "ä", "a\n"})
  void aNameThatNatsCannotCarryIsRefused(String name) {
    assertThatThrownBy(() -> HeaderText.of(Map.of(name, "x"), false))
        .isInstanceOf(UnrecoverableException.class);
  }
}
