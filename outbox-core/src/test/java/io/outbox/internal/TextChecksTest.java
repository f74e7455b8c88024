package io.outbox.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TextChecksTest {

  @ParameterizedTest
  @ValueSource(strings = {"", "a", "\u007f\u0080\u07ff\u0800\uffff", "😀", "a😀é日\0"})
  void theBytesOfUtf8AreCounted(String text) {
    assertThat(TextChecks.utf8Length("it", text))
        .isEqualTo(text.getBytes(StandardCharsets.UTF_8).length);
  }

  @ParameterizedTest
  @ValueSource(strings = {"\ud83d", "a\ud83d", "\ude00", "\ude00\ud83d", "\ud83d\ud83d\ude00"})
  void halfASurrogatePairIsRefused(String text) {
    assertThatThrownBy(() -> TextChecks.utf8Length("it", text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("it has half a surrogate pair at index");
    assertThatThrownBy(() -> TextChecks.column("it", text, 9))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aColumnTakesSoManyCharacters() {
    assertThat(TextChecks.column("it", "abc", 3)).isEqualTo("abc");
    assertThat(TextChecks.column("it", null, 3)).isNull();
    assertThat(TextChecks.column("it", "", 3)).isEmpty();
    assertThatThrownBy(() -> TextChecks.column("it", "abcd", 3))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("it has 4 characters, at most 3 can be stored");
  }

  @Test
  void aColumnTakesNoNul() {
    for (String text : new String[] {"\0a", "a\0"}) {
      assertThatThrownBy(() -> TextChecks.column("it", text, 3))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("NUL");
    }
  }

  @Test
  void anErrorIsMadeStorable() {
    assertThat(TextChecks.cleanError("a\0b", 9)).isEqualTo("a\ufffdb");
    assertThat(TextChecks.cleanError("a\ud83d", 9)).isEqualTo("a\ufffd");
    assertThat(TextChecks.cleanError("\ude00b", 9)).isEqualTo("\ufffdb");
    assertThat(TextChecks.cleanError("\ud83d\ud83d\ude00", 9)).isEqualTo("\ufffd\ud83d\ude00");
    assertThat(TextChecks.cleanError("line\nbreak 😀", 99)).isEqualTo("line\nbreak 😀");
    assertThat(TextChecks.cleanError(null, 9)).isNull();
    assertThat(TextChecks.cleanError("", 9)).isEmpty();
  }

  @Test
  void anErrorIsCutBetweenCharacters() {
    assertThat(TextChecks.cleanError("abcdef", 3)).isEqualTo("abc");
    assertThat(TextChecks.cleanError("abc", 3)).isEqualTo("abc");
    assertThat(TextChecks.cleanError("ab😀", 3)).isEqualTo("ab");
    assertThat(TextChecks.cleanError("a😀b", 3)).isEqualTo("a😀");
  }
}
