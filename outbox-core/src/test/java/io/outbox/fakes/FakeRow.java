package io.outbox.fakes;

import io.outbox.EventEnvelope;
import io.outbox.model.EventStatus;
import io.outbox.model.Lease;
import io.outbox.model.OutboxEvent;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;

/** A row of the table, open to tests. */
public final class FakeRow {

  private static final AtomicLong SEQ = new AtomicLong();

  public final String id;
  public final EventEnvelope envelope;
  public String headersJson;
  public EventStatus status = EventStatus.NEW;
  public int attempts;
  public Instant availableAt;
  public Instant createdAt;
  public Instant doneAt;
  public Instant replayedAt;
  public String lastError;
  public String lockedBy;
  public Instant lockedAt;
  public long leaseNo;
  public int claims;
  public int starts;
  private final long seq;

  public FakeRow(EventEnvelope envelope) {
    this(envelope, SEQ.incrementAndGet());
    createdAt = envelope.occurredAt();
    availableAt = envelope.availableAt() == null ? createdAt : envelope.availableAt();
  }

  private FakeRow(EventEnvelope envelope, long seq) {
    this.id = envelope.eventId();
    this.envelope = envelope;
    this.seq = seq;
  }

  long seq() {
    return seq;
  }

  FakeRow copy() {
    FakeRow copy = new FakeRow(envelope, seq);
    copy.headersJson = headersJson;
    copy.status = status;
    copy.attempts = attempts;
    copy.availableAt = availableAt;
    copy.createdAt = createdAt;
    copy.doneAt = doneAt;
    copy.replayedAt = replayedAt;
    copy.lastError = lastError;
    copy.lockedBy = lockedBy;
    copy.lockedAt = lockedAt;
    copy.leaseNo = leaseNo;
    copy.claims = claims;
    copy.starts = starts;
    return copy;
  }

  OutboxEvent read() {
    return OutboxEvent.builder(id, envelope.eventType())
        .aggregate(envelope.aggregateType(), envelope.aggregateId())
        .tenantId(envelope.tenantId())
        .payloadJson(envelope.payloadJson())
        .payloadBytes(envelope.payloadBytes(), envelope.contentType())
        .headersJson(headersJson)
        .status(status)
        .attempts(attempts)
        .availableAt(availableAt)
        .createdAt(createdAt)
        .doneAt(doneAt)
        .replayedAt(replayedAt)
        .lastError(lastError)
        .leaseNumber(leaseNo)
        .lease(lockedBy == null ? null : new Lease(lockedBy, lockedAt, leaseNo))
        .seq(seq)
        .claims(claims)
        .starts(starts)
        .build();
  }
}
