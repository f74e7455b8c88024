package io.outbox.jdbc.internal;

import io.outbox.model.EventStatus;
import io.outbox.model.Lease;
import io.outbox.model.OutboxEvent;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The columns of an event, in the order in which every statement reads them. The last is not in
 * every table: see {@link WaitingMark#reading}.
 */
public final class EventColumns {

  private static final List<String> NAMES =
      List.of(
          "event_id",
          "event_type",
          "aggregate_type",
          "aggregate_id",
          "tenant_id",
          "payload",
          "payload_bytes",
          "content_type",
          "headers",
          "ordering_key",
          "partition_key",
          "status",
          "attempts",
          "available_at",
          "created_at",
          "done_at",
          "last_error",
          "locked_by",
          "locked_at",
          "lease_no",
          "seq",
          "claims",
          "starts",
          "replayed_at",
          "waiting_since");

  public static final String ALL = String.join(", ", NAMES);

  /** What an archived event has, too. */
  public static final String CONTENT =
      String.join(", ", NAMES.subList(0, 1 + NAMES.indexOf("last_error")));

  public static final int COUNT = NAMES.size();
  public static final int AVAILABLE_AT = 1 + NAMES.indexOf("available_at");
  public static final int LOCKED_AT = 1 + NAMES.indexOf("locked_at");

  /**
   * The claim under which rows are read.
   *
   * @param owner whose lease it is
   * @param at since when
   * @param toCome 1 if it is still to be written to the rows, 0 if they have it
   */
  public record Claim(String owner, Instant at, int toCome) {}

  private final Product product;

  public EventColumns(Product product) {
    this.product = product;
  }

  public static String of(String alias) {
    return NAMES.stream().map(name -> alias + "." + name).collect(Collectors.joining(", "));
  }

  /** Reads the columns of {@link #CONTENT}. */
  public static OutboxEvent.Builder content(Product product, ResultSet row) throws SQLException {
    return OutboxEvent.builder(row.getString(1), row.getString(2))
        .aggregate(row.getString(3), row.getString(4))
        .tenantId(row.getString(5))
        .payloadJson(row.getString(6))
        .payloadBytes(row.getBytes(7), row.getString(8))
        .headersJson(row.getString(9))
        .orderingKey(row.getString(10))
        .partitionKey(row.getString(11))
        .status(EventStatus.fromCode(row.getInt(12)))
        .attempts(row.getInt(13))
        .availableAt(product.instant(row, 14))
        .createdAt(product.instant(row, 15))
        .doneAt(product.instant(row, 16))
        .lastError(row.getString(17));
  }

  public OutboxEvent read(ResultSet row) throws SQLException {
    return read(row, null);
  }

  /** The row with the lease of {@code claim}; null for the lease that it has. */
  public OutboxEvent read(ResultSet row, Claim claim) throws SQLException {
    OutboxEvent.Builder event =
        content(product, row)
            .seq(row.getLong(21))
            .starts(row.getInt(23))
            .replayedAt(product.instant(row, 24))
            .waitingSince(product.instant(row, 25));
    long leaseNumber = row.getLong(20);
    int claims = row.getInt(22);
    if (claim != null) {
      event
          .lease(new Lease(claim.owner(), claim.at(), leaseNumber + claim.toCome()))
          .claims(claims + claim.toCome());
    } else {
      String owner = row.getString(18);
      Instant lockedAt = product.instant(row, 19);
      boolean leased = owner != null && lockedAt != null;
      event
          .leaseNumber(leaseNumber)
          .lease(leased ? new Lease(owner, lockedAt, leaseNumber) : null)
          .claims(claims);
    }
    return event.build();
  }
}
