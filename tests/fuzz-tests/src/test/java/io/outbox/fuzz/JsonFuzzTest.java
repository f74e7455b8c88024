package io.outbox.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.StreamReadConstraints;
import io.outbox.internal.json.JsonSyntax;
import java.io.IOException;

/** R17: what the builder takes for JSON is what a JSON parser takes for it, and nothing else. */
class JsonFuzzTest {

  private static final JsonFactory JACKSON =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(Integer.MAX_VALUE)
                  .maxNumberLength(Integer.MAX_VALUE)
                  .maxNameLength(Integer.MAX_VALUE)
                  .build())
          .build();

  @FuzzTest
  void agreesWithJackson(byte[] input) throws IOException {
    String text = FuzzInput.text(input);

    assertThat(isJson(text)).as(text).isEqualTo(isJsonForJackson(text));
  }

  private static boolean isJson(String text) {
    try {
      JsonSyntax.require("it", text);
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static boolean isJsonForJackson(String text) throws IOException {
    try (JsonParser parser = JACKSON.createParser(text)) {
      if (parser.nextToken() == null) {
        return false;
      }
      parser.skipChildren();
      parser.finishToken();
      return parser.nextToken() == null;
    } catch (com.fasterxml.jackson.core.exc.StreamReadException e) {
      return false;
    }
  }
}
