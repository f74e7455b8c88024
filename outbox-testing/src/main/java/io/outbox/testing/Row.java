package io.outbox.testing;

import io.outbox.EventEnvelope;
import io.outbox.model.EventRef;
import io.outbox.model.EventStatus;
import io.outbox.model.Lease;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.NewEvent;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.function.Consumer;

/** A row of the table. Never changed once it is in the table; a change makes a copy. */
final class Row implements Cloneable {

  /** The order in which events are delivered. */
  static final Comparator<Row> BY_CREATION =
      Comparator.comparing((Row row) -> row.createdAt()).thenComparing(row -> row.seq);

  private static final PlainJsonCodec HEADERS = new PlainJsonCodec();

  final EventEnvelope envelope;
  final String headersJson;
  final long seq;
  int status;
  int attempts;
  Instant availableAt;
  Instant doneAt;
  Instant replayedAt;
  Instant waitingSince;
  String lastError;
  String lockedBy;
  Instant lockedAt;
  long leaseNumber;
  int claims;
  int starts;

  Row(NewEvent event, long seq, Instant now) {
    this.envelope = event.envelope();
    this.headersJson = envelope.headers().isEmpty() ? null : HEADERS.toJson(envelope.headers());
    this.seq = seq;
    boolean late = event.late() && !envelope.isDelayed();
    this.waitingSince = late ? envelope.occurredAt() : null;
    Instant undelayed = late ? micros(now) : earlier(envelope.occurredAt(), micros(now));
    this.availableAt = envelope.isDelayed() ? envelope.availableAt() : undelayed;
    if (event.lease() != null) {
      this.lockedBy = event.lease().owner();
      this.lockedAt = micros(event.lease().lockedAt());
      this.leaseNumber = event.lease().number();
      this.claims = 1;
    }
  }

  String id() {
    return envelope.eventId();
  }

  Instant createdAt() {
    return envelope.occurredAt();
  }

  boolean isPending() {
    return status == EventStatus.NEW.code() || status == EventStatus.RETRY.code();
  }

  boolean isLeased() {
    return lockedBy != null;
  }

  boolean isLeasedSince(Instant expiry) {
    return isLeased() && !lockedAt.isBefore(expiry);
  }

  /** Whether the reference allows a change. */
  boolean isSubjectTo(EventRef ref) {
    return isPending() && ref.matches(leaseNumber, lockedBy);
  }

  /** Whether the lease that the reference names is held. */
  boolean isHeldBy(EventRef ref) {
    return isLeased() && ref.owner() != null && isSubjectTo(ref);
  }

  Row with(Consumer<Row> change) {
    try {
      Row copy = (Row) clone();
      change.accept(copy);
      return copy;
    } catch (CloneNotSupportedException e) {
      throw new AssertionError(e);
    }
  }

  /** It was due and is not delivered: its due time is moved, or it has been held for a while. */
  void waitOn() {
    waitingSince = firstDue();
  }

  Instant firstDue() {
    return waitingSince == null ? availableAt : waitingSince;
  }

  /** What every outcome does, whatever it is. */
  void endLease() {
    lockedBy = null;
    lockedAt = null;
    claims = 0;
    starts = 0;
  }

  void claim(String owner, Instant at) {
    lockedBy = owner;
    lockedAt = micros(at);
    leaseNumber++;
    claims++;
  }

  OutboxEvent toEvent() {
    OutboxEvent.Builder builder =
        OutboxEvent.builder(id(), envelope.eventType())
            .aggregate(envelope.aggregateType(), envelope.aggregateId())
            .tenantId(envelope.tenantId())
            .headersJson(headersJson)
            .orderingKey(envelope.orderingKey())
            .partitionKey(envelope.partitionKey())
            .status(EventStatus.fromCode(status))
            .attempts(attempts)
            .availableAt(availableAt)
            .createdAt(createdAt())
            .doneAt(doneAt)
            .replayedAt(replayedAt)
            .waitingSince(waitingSince)
            .lastError(lastError)
            .leaseNumber(leaseNumber)
            .seq(seq)
            .claims(claims)
            .starts(starts);
    if (envelope.payloadJson() == null) {
      builder.payloadBytes(envelope.payloadBytes(), envelope.contentType());
    } else {
      builder.payloadJson(envelope.payloadJson());
    }
    if (isLeased()) {
      builder.lease(new Lease(lockedBy, lockedAt, leaseNumber));
    }
    return builder.build();
  }

  private static Instant earlier(Instant one, Instant other) {
    return one.isBefore(other) ? one : other;
  }

  /** As precise as a database. */
  static Instant micros(Instant instant) {
    return instant.truncatedTo(ChronoUnit.MICROS);
  }
}
