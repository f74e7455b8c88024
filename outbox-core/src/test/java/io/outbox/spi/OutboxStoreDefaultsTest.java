package io.outbox.spi;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.model.EventRef;
import io.outbox.model.OutboxEvent;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a store gets that has only the methods it must have. */
class OutboxStoreDefaultsTest {

  private static final Instant NOW = Instant.parse("2025-01-01T00:00:00Z");

  private final List<String> marked = new ArrayList<>();

  /** Event "b" is nowhere to be found. */
  private final OutboxStore store =
      new OutboxStore() {
        @Override
        public void insertNew(Connection conn, EventEnvelope event) {}

        @Override
        public int markDone(Connection conn, String eventId) {
          return mark("done " + eventId);
        }

        @Override
        public int markRetry(Connection conn, String eventId, Instant nextAt, String error) {
          return mark("retry " + eventId);
        }

        @Override
        public int markDead(Connection conn, String eventId, String error) {
          return mark("dead " + eventId);
        }

        @Override
        public List<OutboxEvent> pollPending(
            Connection conn, Instant now, Duration skipRecent, int limit) {
          return List.of();
        }
      };

  private int mark(String what) {
    marked.add(what);
    return what.endsWith(" b") ? 0 : 1;
  }

  private static EventRef any(String id) {
    return EventRef.any(id);
  }

  /** Else two nodes that hold the same events may each wait for the other's rows. */
  @Test
  void outcomesAreWrittenInTheOrderOfIdsAndAnsweredInTheirOwn() {
    List<OutcomeResult> results =
        store.recordOutcomes(
            null,
            List.of(
                Outcome.done(any("d"), 0, NOW),
                Outcome.retry(any("b"), 1, NOW, "no"),
                Outcome.dead(any("c"), 1, NOW, "no"),
                Outcome.deferred(any("a"), 0, NOW)));
    assertThat(marked).containsExactly("retry a", "retry b", "dead c", "done d");
    assertThat(results)
        .containsExactly(
            OutcomeResult.WRITTEN,
            OutcomeResult.LOST,
            OutcomeResult.WRITTEN,
            OutcomeResult.WRITTEN);
  }
}
