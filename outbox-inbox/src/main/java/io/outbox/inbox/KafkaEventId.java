package io.outbox.inbox;

import java.nio.charset.StandardCharsets;
import java.util.NoSuchElementException;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;

/**
 * Finds the event id in a Kafka record, like {@link InboxEventId}. Needs {@code kafka-clients},
 * which is not a dependency of this module.
 */
public final class KafkaEventId {

  private KafkaEventId() {}

  /**
   * The id of the event.
   *
   * @throws NoSuchElementException if the record has no header with one
   */
  public static String of(ConsumerRecord<?, ?> record) {
    Objects.requireNonNull(record, "record");
    return InboxEventId.find(name -> text(record.headers(), name))
        .orElseThrow(
            () ->
                new NoSuchElementException(
                    "the record at offset "
                        + record.offset()
                        + " of "
                        + record.topic()
                        + "-"
                        + record.partition()
                        + " has no header with an event id"));
  }

  private static String text(Headers headers, String name) {
    Header header = headers.lastHeader(name);
    return header == null || header.value() == null
        ? null
        : new String(header.value(), StandardCharsets.UTF_8);
  }
}
