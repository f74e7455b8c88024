package io.outbox.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the specification's two ways of reading pending events have in common. */
abstract class PollContract extends InsertContract {

  private List<OutboxEvent> read(boolean claiming, Instant now, Duration skipRecent, int limit) {
    return claiming
        ? store().claimPending(conn, OWNER, now, now.minusSeconds(60), skipRecent, limit)
        : store().pollPending(conn, now, skipRecent, limit);
  }

  @ParameterizedTest(name = "claiming {0}")
  @ValueSource(booleans = {false, true})
  protected void eventsComeInTheOrderOfTheirCreation(boolean claiming) throws SQLException {
    String third = insert(eventAt(T0.plusNanos(2000)));
    String first = insert(eventAt(T0));
    String second = insert(eventAt(T0.plusNanos(1000)));

    assertThat(ids(read(claiming, T0.plusSeconds(1), NO_SKIP, 10)))
        .containsExactly(first, second, third);
  }

  @ParameterizedTest(name = "claiming {0}")
  @ValueSource(booleans = {false, true})
  protected void eventsOfTheSameInstantComeInTheOrderOfTheirInsertion(boolean claiming)
      throws SQLException {
    List<String> ids = new ArrayList<>();
    for (int i = 9; i >= 0; i--) {
      ids.add(insert(event().eventId("event-" + i).build()));
    }

    assertThat(ids(read(claiming, T0, NO_SKIP, 10))).containsExactlyElementsOf(ids);
  }

  @ParameterizedTest(name = "claiming {0}")
  @ValueSource(booleans = {false, true})
  protected void theLimitTakesTheOldest(boolean claiming) throws SQLException {
    List<String> ids = insert(events(10));

    assertThat(ids(read(claiming, T0.plusSeconds(1), NO_SKIP, 3)))
        .containsExactlyElementsOf(ids.subList(0, 3));
  }

  @ParameterizedTest(name = "claiming {0}")
  @ValueSource(booleans = {false, true})
  protected void anEventIsDueFromItsInstantOn(boolean claiming) throws SQLException {
    EventEnvelope event = event().occurredAt(T0.minusSeconds(60)).availableAt(T0).build();
    insert(event);

    assertThat(read(claiming, T0.minusNanos(1000), NO_SKIP, 10)).isEmpty();
    assertThat(ids(read(claiming, T0, NO_SKIP, 10))).containsExactly(event.eventId());
  }

  @ParameterizedTest(name = "claiming {0}")
  @ValueSource(booleans = {false, true})
  protected void recentEventsAreSkipped(boolean claiming) throws SQLException {
    String id = insert(eventAt(T0));
    Duration skip = Duration.ofSeconds(2);

    assertThat(read(claiming, T0.plus(skip).minusNanos(1000), skip, 10)).isEmpty();
    assertThat(ids(read(claiming, T0.plus(skip), skip, 10))).containsExactly(id);
  }

  @ParameterizedTest
  @EnumSource(EventStatus.class)
  protected void onlyPendingEventsAreRead(EventStatus status) throws SQLException {
    String id = insertIn(status);

    List<String> expected = status.isPending() ? List.of(id) : List.of();
    assertThat(ids(poll(T0))).isEqualTo(expected);
    assertThat(ids(claim(OWNER, T0))).isEqualTo(expected);
  }

  @Test
  protected void pollingSaysHowOftenAnEventHasFailed() throws SQLException {
    String id = insert(event().build());
    store().markRetry(conn, id, T0, "first");
    store().markRetry(conn, id, T0, "second");

    OutboxEvent row = poll(T0).get(0);
    assertThat(row.attempts()).isEqualTo(2);
    assertThat(row.status()).isEqualTo(EventStatus.RETRY);
  }

  @Test
  protected void pollingChangesNothing() throws SQLException {
    String id = insert(event().build());
    OutboxEvent before = row(id);
    poll(T0);

    assertThat(row(id)).usingRecursiveComparison().isEqualTo(before);
  }

  @Test
  protected void pollingDoesNotLookAtLeases() throws SQLException {
    requireLeases();
    String id = insertClaimed().eventId();

    OutboxEvent row = poll(T0).get(0);
    assertThat(row.eventId()).isEqualTo(id);
    assertThat(row.lease().owner()).isEqualTo(OWNER);
  }

  @Test
  protected void anEmptyStoreHasNothingToRead() {
    assertThat(poll(T0)).isEmpty();
    assertThat(claim(OWNER, T0)).isEmpty();
  }
}
