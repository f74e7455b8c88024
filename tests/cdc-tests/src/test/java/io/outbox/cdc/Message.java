package io.outbox.cdc;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.connect.header.Header;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.storage.Converter;
import org.apache.kafka.connect.storage.HeaderConverter;
import org.apache.kafka.connect.storage.SimpleHeaderConverter;

/**
 * A message as Kafka Connect would send it, through the converters of the connector's
 * configuration.
 *
 * @param key null if it has none
 * @param headers without those that are null
 */
record Message(String topic, String key, Map<String, String> headers, byte[] value) {

  String id() {
    return headers.get("id");
  }

  String text() {
    return new String(value, StandardCharsets.UTF_8);
  }

  /** Makes messages of what a connector yields. */
  static final class Format {

    private final Converter keys;
    private final Converter values;
    private final HeaderConverter headers = new SimpleHeaderConverter(); // that of a worker

    Format(Properties connector) {
      keys = converter(connector.getProperty("key.converter"), true);
      values = converter(connector.getProperty("value.converter"), false);
    }

    private static Converter converter(String name, boolean isKey) {
      try {
        Converter converter =
            (Converter) Class.forName(name).getDeclaredConstructor().newInstance();
        converter.configure(Map.of(), isKey);
        return converter;
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException("no converter " + name, e);
      }
    }

    Message message(SourceRecord record) {
      String topic = record.topic();
      byte[] key = keys.fromConnectData(topic, record.keySchema(), record.key());
      Map<String, String> texts = new HashMap<>();
      for (Header header : record.headers()) {
        byte[] value =
            headers.fromConnectHeader(topic, header.key(), header.schema(), header.value());
        if (value != null) {
          texts.put(header.key(), new String(value, StandardCharsets.UTF_8));
        }
      }
      return new Message(
          topic,
          key == null ? null : new String(key, StandardCharsets.UTF_8),
          texts,
          values.fromConnectData(topic, record.valueSchema(), record.value()));
    }
  }
}
