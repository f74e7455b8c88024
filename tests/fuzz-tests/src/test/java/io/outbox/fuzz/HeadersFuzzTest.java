package io.outbox.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.outbox.EventEnvelope;
import io.outbox.PayloadParseException;
import io.outbox.gson.GsonJsonCodec;
import io.outbox.internal.json.JsonSyntax;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.JsonCodec;
import java.time.Instant;
import java.util.Map;

/** The text of a headers column is an object of strings, or the event is malformed. */
class HeadersFuzzTest {

  private static final JsonCodec GSON = new GsonJsonCodec();

  /** Reads headers as codecs do that bring no way of their own. */
  private static final JsonCodec PLAIN =
      new JsonCodec() {
        @Override
        public String toJson(Object obj) {
          return GSON.toJson(obj);
        }

        @Override
        public <T> T fromJson(String json, Class<T> type) {
          return GSON.fromJson(json, type);
        }
      };

  @FuzzTest
  void areReadOrRefused(byte[] input) {
    String json = FuzzInput.text(input);
    Map<String, String> headers;
    try {
      headers = EventEnvelope.fromRow(row(json)).headers();
    } catch (PayloadParseException e) {
      return;
    }
    if (!json.isBlank() && !json.strip().equals("null")) {
      JsonSyntax.require("what was read", json);
    }
    assertThat(PLAIN.parseStringMap(json)).isEqualTo(headers);
    assertThat(GSON.parseStringMap(GSON.toJson(headers))).isEqualTo(headers);
  }

  private static OutboxEvent row(String headersJson) {
    return OutboxEvent.builder("id", "Fuzzed")
        .payloadJson("{}")
        .headersJson(headersJson)
        .createdAt(Instant.EPOCH)
        .build();
  }
}
