package io.outbox;

import io.outbox.internal.TextChecks;
import io.outbox.internal.json.JsonSyntax;
import io.outbox.internal.time.StorableTime;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;

/** Refuses values of an event that cannot be stored, before anything is written. */
final class EnvelopeChecks {

  private EnvelopeChecks() {}

  static void required(String what, String value, int maxLength) {
    if (value.isBlank()) {
      throw new IllegalArgumentException(what + " must not be blank");
    }
    TextChecks.column(what, value, maxLength);
  }

  static void headers(Map<String, String> headers) {
    long bytes = 0;
    for (Map.Entry<String, String> header : headers.entrySet()) {
      String what = "header '" + header.getKey() + "'";
      bytes += TextChecks.utf8Length("the key of " + what, header.getKey());
      bytes += TextChecks.utf8Length(what, header.getValue());
    }
    requireAtMost(EventEnvelope.MAX_HEADER_BYTES, "the headers have ", bytes);
  }

  /** Checks a payload, of which one form is null; returns its size. */
  static long payload(String json, byte[] bytes) {
    if ((json == null) == (bytes == null)) {
      throw new IllegalArgumentException(
          json == null
              ? "an event needs a payload: set payloadJson, payload or payloadBytes"
              : "an event has one payload: set payloadJson or payloadBytes, not both");
    }
    long size = json == null ? bytes.length : TextChecks.utf8Length("payload", json);
    requireAtMost(EventEnvelope.MAX_PAYLOAD_BYTES, "the payload has ", size);
    if (json != null) {
      JsonSyntax.require("the payload", json);
    }
    return size;
  }

  private static void requireAtMost(int max, String what, long bytes) {
    if (bytes > max) {
      throw new IllegalArgumentException(what + bytes + " bytes, at most " + max + " are allowed");
    }
  }

  /** In the precision of every database. */
  static Instant time(String what, Instant value) {
    return StorableTime.require(what, value).truncatedTo(ChronoUnit.MICROS);
  }

  /** When an event is delivered that occurs at {@code at}; null means at once. */
  static Instant available(Instant at, Instant availableAt, Duration deliverAfter) {
    if (availableAt != null && deliverAfter != null) {
      throw new IllegalArgumentException("set availableAt or deliverAfter, not both");
    }
    if (deliverAfter != null
        && deliverAfter.compareTo(Duration.between(at, StorableTime.LATEST)) > 0) {
      throw new IllegalArgumentException(
          "deliverAfter " + deliverAfter + " is later than can be stored, " + StorableTime.LATEST);
    }
    Instant given = deliverAfter != null ? at.plus(deliverAfter) : availableAt;
    if (given == null) {
      return null;
    }
    Instant available = time("availableAt", given);
    if (available.isBefore(at)) {
      throw new IllegalArgumentException(
          "availableAt " + available + " is before occurredAt " + at);
    }
    return available;
  }
}
