package io.outbox.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.Outcome;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The specification's ways of finishing one event. */
abstract class MarkContract extends FetchContract {

  private int mark(EventStatus status, String id) {
    return switch (status) {
      case DONE -> store().markDone(conn, id);
      case RETRY -> store().markRetry(conn, id, T0.plusSeconds(5), "marked");
      case DEAD -> store().markDead(conn, id, "marked");
      case NEW -> store().markDeferred(conn, id, T0.plusSeconds(5));
    };
  }

  @ParameterizedTest(name = "{0} marked {1}: {2}")
  @CsvSource({
    "NEW, DONE, DONE", "NEW, RETRY, RETRY", "NEW, DEAD, DEAD", "NEW, NEW, NEW",
    "RETRY, DONE, DONE", "RETRY, RETRY, RETRY", "RETRY, DEAD, DEAD", "RETRY, NEW, NEW",
    "DONE, DONE, ", "DONE, RETRY, ", "DONE, DEAD, ", "DONE, NEW, ",
    "DEAD, DONE, ", "DEAD, RETRY, ", "DEAD, DEAD, ", "DEAD, NEW, ",
  })
  protected void R6_marksMovePendingEventsOnly(
      EventStatus from, EventStatus marked, EventStatus expected) throws SQLException {
    String id = insertIn(from);
    OutboxEvent before = row(id);

    int changed = mark(marked, id);

    if (expected == null) {
      assertThat(changed).isZero();
      assertThat(row(id)).usingRecursiveComparison().isEqualTo(before);
    } else {
      assertThat(changed).isOne();
      assertThat(row(id).status()).isEqualTo(expected);
    }
  }

  @Test
  protected void R6_aMarkThatHadToWaitSeesWhatHappenedMeanwhile() throws Exception {
    requireRowLocks();
    String id = insert(event().build());
    Connection first = openTransaction();
    Connection second = open();
    assertThat(store().markDone(first, id)).isOne();

    assertThat(during(first, () -> store().markRetry(second, id, T0, "late"))).isZero();
    assertThat(row(id).status()).isEqualTo(EventStatus.DONE);
    assertThat(row(id).attempts()).isZero();
  }

  @Test
  protected void doneSaysWhen() throws SQLException {
    String id = insert(event().build());
    Instant before = now();
    store().markDone(conn, id);

    assertThat(row(id).doneAt()).isCloseTo(before, within(Duration.ofMinutes(1)));
    assertThat(row(id).attempts()).isZero();
  }

  @Test
  protected void deadSaysWhenAndWhy() throws SQLException {
    String id = insert(event().build());
    store().markRetry(conn, id, T0, "first");
    Instant before = now();
    store().markDead(conn, id, "last");

    OutboxEvent row = row(id);
    assertThat(row.doneAt()).isCloseTo(before, within(Duration.ofMinutes(1)));
    assertThat(row.lastError()).isEqualTo("last");
    assertThat(row.attempts()).as("markDead counts no attempt").isEqualTo(1);
  }

  @Test
  protected void deadNeedsNoReason() throws SQLException {
    String id = insert(event().build());
    store().markDead(conn, id, null);

    assertThat(row(id).status()).isEqualTo(EventStatus.DEAD);
    assertThat(row(id).lastError()).isNull();
  }

  @Test
  protected void retryCountsAndSaysWhenAndWhy() throws SQLException {
    String id = insert(event().build());
    Instant next = T0.plusSeconds(5);
    store().markRetry(conn, id, next, "first");
    store().markRetry(conn, id, next, "second");

    OutboxEvent row = row(id);
    assertThat(row.attempts()).isEqualTo(2);
    assertThat(row.availableAt()).isEqualTo(next);
    assertThat(row.lastError()).isEqualTo("second");
    assertThat(row.doneAt()).isNull();
    assertThat(poll(next.minusNanos(1000))).isEmpty();
    assertThat(ids(poll(next))).containsExactly(id);
  }

  @Test
  protected void deferredDoesNotCount() throws SQLException {
    String id = insert(event().build());
    Instant next = T0.plusSeconds(5);
    store().markRetry(conn, id, T0, "failed");
    store().markDeferred(conn, id, next);

    OutboxEvent row = row(id);
    assertThat(row.attempts()).isEqualTo(1);
    assertThat(row.status()).isEqualTo(EventStatus.NEW);
    assertThat(row.availableAt()).isEqualTo(next);
  }

  @ParameterizedTest
  @EnumSource(EventStatus.class)
  protected void everyMarkEndsTheLeaseAndItsCounts(EventStatus marked) throws SQLException {
    requireLeases();
    OutboxEvent claimed = insertClaimed();
    inTransaction(c -> store().recordStart(c, claimed.ref()));

    assertThat(mark(marked, claimed.eventId())).isOne();

    OutboxEvent row = row(claimed.eventId());
    assertThat(row.lease()).isNull();
    assertThat(row.claims()).isZero();
    assertThat(row.starts()).isZero();
    assertThat(row.leaseNumber()).as("never goes back").isEqualTo(claimed.leaseNumber());
  }

  @ParameterizedTest
  @EnumSource(EventStatus.class)
  protected void anUnknownEventIsNotMarked(EventStatus marked) {
    assertThat(mark(marked, "nowhere")).isZero();
  }

  @Test
  protected void anErrorIsCutAndMadeStorable() throws SQLException {
    String text = "NUL \0, half \ud83d, whole \ud83d\ude00, " + "é".repeat(10_000);
    String retried = insert(event().build());
    String dead = insert(event().build());
    store().markRetry(conn, retried, T0, text);
    store().markDead(conn, dead, text);

    for (String id : new String[] {retried, dead}) {
      assertThat(row(id).lastError())
          .startsWith("NUL \ufffd, half \ufffd, whole \ud83d\ude00, é")
          .hasSize(Outcome.MAX_ERROR_LENGTH);
    }
  }

  @Test
  protected void R10_instantsFinerThanAMicrosecondAreTruncated() throws SQLException {
    String id = insert(event().build());
    store().markRetry(conn, id, T0.plusNanos(1999), "failed");
    assertThat(row(id).availableAt()).isEqualTo(T0.plusNanos(1000));
    store().markDeferred(conn, id, T0.plusNanos(2999));
    assertThat(row(id).availableAt()).isEqualTo(T0.plusNanos(2000));
  }

  static org.assertj.core.data.TemporalUnitOffset within(Duration duration) {
    return org.assertj.core.api.Assertions.within(
        duration.toMillis(), java.time.temporal.ChronoUnit.MILLIS);
  }
}
