package io.outbox.model;

import io.outbox.EventEnvelope;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Objects;

/**
 * The key of an event, whose events are delivered in order: its ordering key, else its aggregate,
 * else the event itself, which then waits for no other.
 *
 * @param lane computed from the name, here as in the database
 */
public record EventKey(int lane, String name) {

  /** How many lanes there are. It is part of every table's indexes, and cannot be set. */
  public static final int LANES = 64;

  public EventKey {
    Objects.requireNonNull(name, "name");
  }

  public static EventKey named(String name) {
    return new EventKey(laneOf(name), name);
  }

  static EventKey of(OutboxEvent row) {
    return of(row.orderingKey(), row.aggregateType(), row.aggregateId(), row.eventId());
  }

  public static EventKey of(EventEnvelope event) {
    return of(event.orderingKey(), event.aggregateType(), event.aggregateId(), event.eventId());
  }

  /**
   * The key of an event with these names.
   *
   * @param orderingKey or null
   * @param aggregateType or null
   * @param aggregateId or null
   */
  public static EventKey of(
      String orderingKey, String aggregateType, String aggregateId, String eventId) {
    Objects.requireNonNull(eventId, "eventId");
    if (orderingKey != null) {
      return named(orderingKey);
    }
    return named(
        aggregateId == null
            ? eventId
            : (aggregateType == null ? "__GLOBAL__" : aggregateType) + ":" + aggregateId);
  }

  /** The low bits of the first byte of its MD5, which every database can compute, too. */
  private static int laneOf(String name) {
    try {
      byte[] hash = MessageDigest.getInstance("MD5").digest(name.getBytes(StandardCharsets.UTF_8));
      return hash[0] & (LANES - 1);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has MD5", e);
    }
  }
}
