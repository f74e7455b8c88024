package io.outbox.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.outbox.util.Printable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PrintableTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\u001b[2J", // clears the screen
        "\u009b31m", // the same introducer in eight bits
        "\u001b]0;title\u0007", // sets the title
        "\rover", // goes back to the beginning of the line
        "\b\b\b",
        "a\u202eb", // turns the direction of writing
        "\u2028",
        "\u200b",
        "\ud800", // half of a character
        "\udb40\udc41", // an unseen character
        "\u007f",
        "\u0000",
      })
  void nothingThatSteersATerminalIsLeft(String text) {
    assertThat(Printable.line(text).codePoints()).allMatch(Printable::isHarmless);
    assertThat(Printable.block(text).codePoints()).allMatch(Printable::isHarmless);
    assertThat(Printable.line(text)).contains("\\");
  }

  @Test
  void textIsLeftAsItIs() {
    assertThat(Printable.line("Grüße, 東京 €")).isEqualTo("Grüße, 東京 €");
    assertThat(Printable.block("a\r\n\tb\n")).isEqualTo("a\n  b\n");
    assertThat(Printable.line("a\nb")).isEqualTo("a\\nb");
  }

  @Test
  void jsonStaysTheSameDocument() {
    JsonObject json = new JsonObject();
    json.addProperty("error", "\u009b31m\u001b[0m\u202e\u007f 東京 \ud83d\ude00 \"");

    String text = JsonText.indented(json);

    assertThat(text.codePoints().filter(c -> c != '\n')).allMatch(Printable::isHarmless);
    assertThat(JsonParser.parseString(text)).isEqualTo(json);
    assertThat(JsonParser.parseString(JsonText.oneLine(json))).isEqualTo(json);
    assertThat(JsonText.oneLine(json)).doesNotContain("\n");
  }

  @Test
  void whatIsNotJsonIsShownAsItIs() {
    assertThat(JsonText.pretty("{\"a\":1}")).isEqualTo("{\n  \"a\": 1\n}");
    assertThat(JsonText.pretty("{\"a\":")).isEqualTo("{\"a\":");
    String deep = "[".repeat(100_000);
    assertThat(JsonText.pretty(deep)).isEqualTo(deep);
  }
}
