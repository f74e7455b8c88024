package io.outbox.internal.json;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonSyntaxTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "[]",
        "null",
        "true",
        "false",
        "0",
        "-0",
        "1",
        "-12",
        "0.5",
        "1e5",
        "1E5",
        "1e+5",
        "1.25e-10",
        "10",
        "\"\"",
        "\"a b\"",
        "\"\\u09af\\uAF90\"",
        " \t\r\n1 \t\r\n",
        "[1,2,3]",
        "[ [ ] , { } ]",
        "{\"a\":1}",
        "{ \"a\" : { \"b\" : [ null , true , \"x\" ] } , \"c\" : 0 }",
        "{\"a\":1,\"a\":2}",
        "{\"\":\"\"}",
        "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uFFFF\"",
        "\"\\ud800\"",
        "\"\u007f\u0080\u2028\"",
        "\"日本😀\"",
        "[[[[[]]]]]",
        "123456789012345678901234567890",
      })
  void jsonIsAccepted(String text) {
    assertThatCode(() -> JsonSyntax.require("it", text)).doesNotThrowAnyException();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "{",
        "}",
        "[",
        "]",
        "{]",
        "[}",
        "[1",
        "[1,",
        "[1,]",
        "[,1]",
        "[1 2]",
        "[1,,2]",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{\"a\" 1}",
        "{a:1}",
        "{'a':1}",
        "{1:1}",
        "{,}",
        "{\"a\":1 \"b\":2}",
        "{\"a\"::1}",
        "{\"a\":1}}",
        "[]]",
        "{}{}",
        "1 2",
        "nul",
        "nulll",
        "True",
        "NULL",
        "tru",
        "undefined",
        "NaN",
        "Infinity",
        "-",
        "+1",
        "01",
        "-01",
        "1.",
        ".5",
        "1.e5",
        "1e",
        "1e+",
        "0x1",
        "1_000",
        "\"",
        "\"a",
        "a\"",
        "'a'",
        "\"\\\"",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\u12g4\"",
        "\"\\",
        "\"\\u",
        "\"a\nb\"",
        "\"a\tb\"",
        "\"\u0000\"",
        "\u0000",
        "// c\n1",
        "/* c */1",
        "\ufeff{}",
        "\u00a01",
        "1\u0000",
        "{\"a\":\u000b1}",
        "\f1",
        "--1",
        "1-",
        "1e5.5",
      })
  void whatIsNotJsonIsRefused(String text) {
    assertThatThrownBy(() -> JsonSyntax.require("it", text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("it is not valid JSON");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {"[1,x]|index 3", "{} x|index 3", "{\"a\" 1}|index 5", "[1,01]|index 4"})
  void theMessageSaysWhere(String text, String where) {
    assertThatThrownBy(() -> JsonSyntax.require("it", text)).hasMessageContaining(where);
  }

  @Test
  void theMessageSaysThatSomethingIsMissing() {
    assertThatThrownBy(() -> JsonSyntax.require("it", "{\"a\":"))
        .hasMessageContaining("ends too early, after 5 characters");
  }

  @Test
  void deepNestingNeedsNoStack() {
    String arrays = "[".repeat(100_000) + "]".repeat(100_000);
    String objects = "{\"a\":".repeat(100_000) + "1" + "}".repeat(100_000);

    assertThatCode(() -> JsonSyntax.require("it", arrays)).doesNotThrowAnyException();
    assertThatCode(() -> JsonSyntax.require("it", objects)).doesNotThrowAnyException();
    assertThatThrownBy(() -> JsonSyntax.require("it", "[".repeat(100_000)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> JsonSyntax.require("it", arrays + "]"))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
