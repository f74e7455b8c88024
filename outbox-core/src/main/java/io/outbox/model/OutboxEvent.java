package io.outbox.model;

import java.time.Instant;
import java.util.Objects;

/** A row of the outbox table, as read. Immutable, except that byte arrays are not copied. */
public final class OutboxEvent {

  private final Builder row;
  private EventKey key; // null: not asked for yet; every thread computes the same

  private OutboxEvent(Builder row) {
    this.row = row;
  }

  public static Builder builder(String eventId, String eventType) {
    return new Builder(eventId, eventType);
  }

  public String eventId() {
    return row.eventId;
  }

  public String eventType() {
    return row.eventType;
  }

  /** May be null in a row that was not written by this library. */
  public String aggregateType() {
    return row.aggregateType;
  }

  public String aggregateId() {
    return row.aggregateId;
  }

  public String tenantId() {
    return row.tenantId;
  }

  /** Null if the payload is bytes. */
  public String payloadJson() {
    return row.payloadJson;
  }

  /** Null if the payload is JSON. */
  public byte[] payloadBytes() {
    return row.payloadBytes;
  }

  public String contentType() {
    return row.contentType;
  }

  /** The headers as stored; null if there are none. */
  public String headersJson() {
    return row.headersJson;
  }

  public String orderingKey() {
    return row.orderingKey;
  }

  public String partitionKey() {
    return row.partitionKey;
  }

  public EventStatus status() {
    return row.status;
  }

  /** The failures so far. */
  public int attempts() {
    return row.attempts;
  }

  public Instant availableAt() {
    return row.availableAt;
  }

  public Instant createdAt() {
    return row.createdAt;
  }

  /** When it became DONE or DEAD; null before. */
  public Instant doneAt() {
    return row.doneAt;
  }

  /** When it was last replayed; null if never. */
  public Instant replayedAt() {
    return row.replayedAt;
  }

  /**
   * When it was first due, if it has been tried, deferred or held for a while since; null before
   * that, when it is replayed, and in a table without that column.
   */
  public Instant waitingSince() {
    return row.waitingSince;
  }

  public String lastError() {
    return row.lastError;
  }

  /** The lease on it, or null. */
  public Lease lease() {
    return row.lease;
  }

  /** Counts claims and replays; never goes back. */
  public long leaseNumber() {
    return row.leaseNumber;
  }

  /** Its key, for order by key. */
  public EventKey key() {
    EventKey known = key;
    if (known == null) {
      known = EventKey.of(this);
      key = known;
    }
    return known;
  }

  /** The number the database gave it when it was inserted. */
  public long seq() {
    return row.seq;
  }

  /** How often it was claimed since its last outcome. */
  public int claims() {
    return row.claims;
  }

  /** How often it was started alone, as a suspect, since its last outcome. */
  public int starts() {
    return row.starts;
  }

  /** This row, to be changed only under the lease it was read with. */
  public EventRef ref() {
    return row.lease == null
        ? new EventRef(row.eventId, row.leaseNumber, null, row.seq)
        : new EventRef(row.eventId, row.lease.number(), row.lease.owner(), row.seq);
  }

  @Override
  public String toString() {
    return "OutboxEvent[" + row.eventId + ", " + row.eventType + ", " + row.status + "]";
  }

  /** Collects the columns of a row. Not thread-safe, and for one row only. */
  public static final class Builder {
    private final String eventId;
    private final String eventType;
    private String aggregateType;
    private String aggregateId;
    private String tenantId;
    private String payloadJson;
    private byte[] payloadBytes;
    private String contentType;
    private String headersJson;
    private String orderingKey;
    private String partitionKey;
    private EventStatus status = EventStatus.NEW;
    private int attempts;
    private Instant availableAt;
    private Instant createdAt;
    private Instant doneAt;
    private Instant replayedAt;
    private Instant waitingSince;
    private String lastError;
    private Lease lease;
    private long leaseNumber = EventRef.ANY_LEASE;
    private long seq;
    private int claims;
    private int starts;
    private boolean built;

    private Builder(String eventId, String eventType) {
      this.eventId = Objects.requireNonNull(eventId, "eventId");
      this.eventType = Objects.requireNonNull(eventType, "eventType");
    }

    public Builder aggregate(String type, String id) {
      this.aggregateType = type;
      this.aggregateId = id;
      return this;
    }

    public Builder tenantId(String value) {
      this.tenantId = value;
      return this;
    }

    public Builder payloadJson(String value) {
      this.payloadJson = value;
      return this;
    }

    public Builder payloadBytes(byte[] value, String type) {
      this.payloadBytes = value;
      this.contentType = type;
      return this;
    }

    public Builder headersJson(String value) {
      this.headersJson = value;
      return this;
    }

    public Builder orderingKey(String value) {
      this.orderingKey = value;
      return this;
    }

    public Builder partitionKey(String value) {
      this.partitionKey = value;
      return this;
    }

    public Builder status(EventStatus value) {
      this.status = Objects.requireNonNull(value, "status");
      return this;
    }

    public Builder attempts(int value) {
      this.attempts = value;
      return this;
    }

    public Builder availableAt(Instant value) {
      this.availableAt = value;
      return this;
    }

    public Builder createdAt(Instant value) {
      this.createdAt = value;
      return this;
    }

    public Builder doneAt(Instant value) {
      this.doneAt = value;
      return this;
    }

    public Builder replayedAt(Instant value) {
      this.replayedAt = value;
      return this;
    }

    public Builder waitingSince(Instant value) {
      this.waitingSince = value;
      return this;
    }

    public Builder lastError(String value) {
      this.lastError = value;
      return this;
    }

    /** The lease on the row; sets the lease number too. Null for none. */
    public Builder lease(Lease value) {
      this.lease = value;
      if (value != null) {
        this.leaseNumber = value.number();
      }
      return this;
    }

    public Builder leaseNumber(long value) {
      this.leaseNumber = value;
      return this;
    }

    public Builder seq(long value) {
      this.seq = value;
      return this;
    }

    public Builder claims(int value) {
      this.claims = value;
      return this;
    }

    public Builder starts(int value) {
      this.starts = value;
      return this;
    }

    public OutboxEvent build() {
      Objects.requireNonNull(createdAt, "createdAt");
      if (built) {
        throw new IllegalStateException("this builder has made its row; use a new one");
      }
      built = true;
      return new OutboxEvent(this);
    }
  }
}
