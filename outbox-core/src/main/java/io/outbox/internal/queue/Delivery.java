package io.outbox.internal.queue;

import io.outbox.EventEnvelope;
import io.outbox.dispatch.QueuedEvent;
import io.outbox.internal.ReservedType;
import io.outbox.model.EventRef;
import io.outbox.model.Lease;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.Outcome;
import java.time.Instant;
import java.util.Map;

/** An event in our hands: from the moment it is queued until its outcome is in the database. */
public class Delivery {

  /**
   * An event whose listener was called.
   *
   * @param attempts its failures before
   * @param bornAt when it was created or last replayed
   */
  public record Tried(EventRef ref, int attempts, Instant bornAt) {}

  /** An event claimed this often without an outcome may be what killed the process each time. */
  private static final int SUSPECT_AFTER_CLAIMS = 3;

  /** What an entry of a map and two strings take beyond their characters. */
  private static final int HEADER_BYTES = 128;

  /** Is told instead of the database while the row of an event is not written. */
  public interface Unwritten {
    /**
     * The delivery has ended.
     *
     * @param outcome null if there is none
     * @return false if the row is written by now: the database is to be told
     */
    boolean ended(Delivery delivery, Outcome outcome);
  }

  private enum State {
    QUEUED,
    STARTED,
    DROPPED
  }

  private final EventEnvelope envelope;
  private final QueuedEvent.Source source;
  private final int attempts;
  private final int claims;
  private final int starts;
  private final Instant bornAt;
  private final long bytes;
  private final long heldSinceNanos = System.nanoTime();

  private State state = State.QUEUED;
  private Instant dueAt; // null: not known
  private EventRef ref;
  private Instant lockedAt; // null: no lease
  private boolean mayBeStarted;
  private volatile boolean cutShort;
  private volatile boolean putOff; // by its listener
  private volatile Unwritten unwritten; // null: its row is there
  private volatile Runnable leave; // the place that it has at its listener; null: none

  private Delivery(
      EventEnvelope envelope,
      QueuedEvent.Source source,
      int attempts,
      int claims,
      int starts,
      Instant bornAt) {
    this.envelope = envelope;
    this.source = source;
    this.attempts = attempts;
    this.claims = claims;
    this.starts = starts;
    this.bornAt = bornAt;
    this.bytes = bytesOf(envelope);
  }

  /** Whether its type is one that is reserved for copies for subscriptions. */
  boolean isCopy() {
    return ReservedType.isMarked(envelope.aggregateType());
  }

  /** Its listener asked for more time. */
  public void putOffByListener() {
    putOff = true;
  }

  public boolean wasPutOffByListener() {
    return putOff;
  }

  /** An event whose row was just committed by this process. */
  public static Delivery ofCommitted(EventEnvelope envelope, Lease born) {
    Delivery delivery =
        new Delivery(envelope, QueuedEvent.Source.HOT, 0, 1, 0, envelope.occurredAt());
    delivery.ref =
        born == null
            ? EventRef.unleased(envelope.eventId(), 0)
            : EventRef.leased(envelope.eventId(), born);
    delivery.lockedAt = born == null ? null : born.lockedAt();
    return delivery;
  }

  /**
   * An event whose row will be written later, unless the outcome is there first.
   *
   * @param lease what its row will be leased by; null for none
   * @param since from when on it counts as leased until then; null if it has no end
   */
  public static Delivery ofUnwritten(
      EventEnvelope envelope, Lease lease, Instant since, Unwritten unwritten) {
    Delivery delivery = ofCommitted(envelope, lease);
    delivery.lockedAt = since;
    delivery.unwritten = unwritten;
    return delivery;
  }

  /** An event that somebody queued by hand: nothing is known of its row. */
  public static Delivery ofQueued(QueuedEvent event) {
    EventEnvelope envelope = event.envelope();
    Delivery delivery =
        new Delivery(envelope, event.source(), event.attempts(), 0, 0, envelope.occurredAt());
    delivery.ref = EventRef.any(envelope.eventId());
    return delivery;
  }

  public static Delivery ofRow(OutboxEvent row, EventEnvelope envelope) {
    return new Delivery(row, envelope, row.claims());
  }

  public Delivery(OutboxEvent row, EventEnvelope envelope, int claims) {
    this(
        envelope,
        QueuedEvent.Source.COLD,
        row.attempts(),
        claims,
        row.starts(),
        row.replayedAt() == null ? row.createdAt() : row.replayedAt());
    ref = row.ref();
    dueAt = row.availableAt();
    lockedAt = row.lease() == null ? null : row.lease().lockedAt();
  }

  public String eventId() {
    return envelope.eventId();
  }

  public EventEnvelope envelope() {
    return envelope;
  }

  public QueuedEvent.Source source() {
    return source;
  }

  public int attempts() {
    return attempts;
  }

  public int starts() {
    return starts;
  }

  /** What the outcome of a call depends on. */
  public Tried tried() {
    return new Tried(ref(), attempts, bornAt);
  }

  /** Roughly what it takes in memory. */
  public long bytes() {
    return bytes;
  }

  public static long bytesOf(EventEnvelope envelope) {
    long bytes = 512 + envelope.payloadSize();
    for (Map.Entry<String, String> header : envelope.headers().entrySet()) {
      bytes += HEADER_BYTES + header.getKey().length() + header.getValue().length();
    }
    return bytes;
  }

  /** The claim it came with is not counted against it. */
  public boolean isSuspect() {
    return claims > SUSPECT_AFTER_CLAIMS;
  }

  /** When it was due; null if it did not come from the poller. */
  public Instant dueAt() {
    return dueAt;
  }

  public long heldSinceNanos() {
    return heldSinceNanos;
  }

  public synchronized EventRef ref() {
    return ref;
  }

  /** Since when its lease counts; null if it has none. */
  public synchronized Instant lockedAt() {
    return lockedAt;
  }

  public synchronized void renewed(Instant since) {
    lockedAt = since;
  }

  /** Its row is there, leased since {@code since}; null if it has no lease. */
  public synchronized void written(Instant since) {
    lockedAt = since;
    unwritten = null;
  }

  /** Whether its row will be written later. */
  public boolean isUnwritten() {
    return unwritten != null;
  }

  /**
   * It has ended.
   *
   * @param outcome null if there is none
   * @return whether that is kept until its row is written; if not, the database is to be told
   */
  public boolean endsUnwritten(Outcome outcome) {
    Unwritten keeper = unwritten;
    return keeper != null && keeper.ended(this, outcome);
  }

  /** Whether no delivery of it can have been cut off before. */
  public boolean isFirstTry() {
    return claims <= 1 && attempts == 0;
  }

  /**
   * Whether no delivery of it can have begun before: this process has just written it, or its lease
   * is the first that it ever had.
   */
  public boolean isFirstDelivery() {
    EventRef current = ref();
    return current.owner() == null
        ? claims == 1 && source == QueuedEvent.Source.HOT
        : current.leaseNumber() == Lease.BORN;
  }

  /**
   * Goes on under the lease of {@code row}, if the listener was not called yet; or has that very
   * lease, because a batch had the row twice.
   */
  synchronized boolean adopt(OutboxEvent row) {
    if (row.lease() != null && row.ref().equals(ref)) {
      return true;
    }
    if (state != State.QUEUED || row.lease() == null) {
      return false;
    }
    ref = row.ref();
    lockedAt = row.lease().lockedAt();
    return true;
  }

  /** Claims it for a worker; false if it was dropped meanwhile. */
  public synchronized boolean start() {
    if (state != State.QUEUED) {
      return false;
    }
    state = State.STARTED;
    return true;
  }

  /** Its listener has no place for it: it waits again. For its worker alone. */
  public synchronized void park() {
    state = State.QUEUED;
  }

  /** It has a place at its listener, until it leaves. */
  public void admittedBy(Runnable leaving) {
    leave = leaving;
  }

  public boolean isAdmittedBy(Runnable leaving) {
    return leave == leaving;
  }

  /** Its place is free for another, if it has one. Harmless when called again. */
  public void left() {
    if (leave == null) {
      return; // most listeners have places without end
    }
    Runnable leaving;
    synchronized (this) {
      leaving = leave;
      leave = null;
    }
    if (leaving != null) {
      leaving.run();
    }
  }

  /** Its start was to be recorded, and nobody knows whether it was. For its worker alone. */
  public void startMayBeRecorded() {
    mayBeStarted = true;
  }

  public boolean mayBeStarted() {
    return mayBeStarted;
  }

  /** The engine itself ends its call: unless it is done all the same, nothing came of it. */
  public void cutShort() {
    cutShort = true;
  }

  public boolean wasCutShort() {
    return cutShort;
  }

  /** Takes it back from the queue; false if a worker has it. */
  public synchronized boolean drop() {
    if (state != State.QUEUED) {
      return false;
    }
    state = State.DROPPED;
    return true;
  }

  /** As {@link #drop()}; false also if it has another lease than {@code lease} by now. */
  public synchronized boolean drop(EventRef lease) {
    return ref.equals(lease) && drop();
  }

  /** What of a row that no envelope can be made of can be shown. */
  public static EventEnvelope stub(OutboxEvent row) {
    return EventEnvelope.fromRow(
        OutboxEvent.builder(row.eventId(), row.eventType())
            .aggregate(row.aggregateType(), row.aggregateId())
            .tenantId(row.tenantId())
            .payloadJson(row.payloadBytes() == null ? payloadOrNull(row) : row.payloadJson())
            .payloadBytes(row.payloadBytes(), row.contentType())
            .createdAt(row.createdAt())
            .build());
  }

  private static String payloadOrNull(OutboxEvent row) {
    return row.payloadJson() == null ? "null" : row.payloadJson();
  }
}
