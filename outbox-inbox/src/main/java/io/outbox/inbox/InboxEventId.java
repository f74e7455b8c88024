package io.outbox.inbox;

import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * Finds the event id in the headers of a message, from this library, as a CloudEvent, or from
 * Debezium.
 */
public final class InboxEventId {

  /**
   * Of this library's publishers, then CloudEvents in the bindings of Kafka, HTTP and NATS, and
   * AMQP, then Debezium's outbox event router.
   */
  private static final List<String> NAMES =
      List.of("outbox-event-id", "ce_id", "ce-id", "cloudEvents:id", "cloudEvents_id", "id");

  private InboxEventId() {}

  /**
   * Looks for the headers {@code outbox-event-id}, {@code ce_id}, {@code ce-id}, {@code
   * cloudEvents:id}, {@code cloudEvents_id} and {@code id}, in this order.
   *
   * @param header from the name of a header to its value, or null if there is none
   * @throws NoSuchElementException if the message has none of them
   */
  public static String of(UnaryOperator<String> header) {
    return find(header)
        .orElseThrow(
            () ->
                new NoSuchElementException(
                    "the message has no event id: it has none of the headers " + NAMES));
  }

  /** The same; empty if there is none. */
  public static Optional<String> find(UnaryOperator<String> header) {
    Objects.requireNonNull(header, "header");
    return NAMES.stream().map(header).filter(id -> id != null && !id.isBlank()).findFirst();
  }
}
