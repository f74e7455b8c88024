package io.outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.UnrecoverableException;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.operate.ActionProgress;
import io.outbox.operate.AuditEntry;
import io.outbox.operate.Count;
import io.outbox.operate.EventFilter;
import io.outbox.operate.EventPage;
import io.outbox.operate.EventSummary;
import io.outbox.operate.OperatorAction;
import io.outbox.operate.OutboxOperator;
import io.outbox.operate.Overview;
import io.outbox.operate.Preview;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What an operator sees and does. */
class OperatingTest extends DocsDatabase {

  private String eventId;

  @BeforeEach
  void killOne() throws Exception {
    listeners.register(
        "OrderPlaced", listener.failNext(1, () -> new UnrecoverableException("timeout of A-17")));
    try (var outbox = singleNode().build()) {
      eventId = transactions.call(tx -> outbox.writer().write("OrderPlaced", "{}"));
      awaitEvents(EventStatus.DEAD, 1);
    }
  }

  @Test
  void anOperatorLooks() {
    // snippet: operator-look
    OutboxOperator operator = OutboxOperator.of(connectionProvider, store).as("ada");

    Overview overview = operator.overview();
    Count dead = overview.counts().get(EventStatus.DEAD); // 12, 500+ or ~250000

    EventFilter timeouts =
        EventFilter.builder().status(EventStatus.DEAD).errorContains("timeout").build();
    EventPage page = operator.search(timeouts, null, 50); // the newest first
    EventPage next = page.next() == null ? null : operator.search(timeouts, page.next(), 50);

    OutboxEvent event = operator.find(page.events().get(0).eventId()).orElseThrow();
    List<EventSummary> sameKey = operator.neighbors(event, 10);
    // end

    assertThat(dead).isEqualTo(Count.exactly(1));
    assertThat(event.eventId()).isEqualTo(eventId);
    assertThat(next).isNull();
    assertThat(sameKey).isEmpty();
  }

  @Test
  void anOperatorActs() throws Exception {
    OutboxOperator operator = OutboxOperator.of(connectionProvider, store).as("ada");
    EventFilter timeouts = EventFilter.builder().errorContains("timeout").build();

    // snippet: operator-act
    OperatorAction replay = new OperatorAction.Replay();
    Preview preview = operator.preview(replay, timeouts); // a dry run: how many, and some of them

    ActionProgress end =
        operator.perform(replay, timeouts, 10_000, progress -> progress.changed() < 5_000);

    operator.perform(new OperatorAction.Kill("poison"), eventId);
    operator.pause(null, "OrderPlaced", "the broker is being moved"); // on all nodes
    operator.resume(null, "OrderPlaced");
    List<AuditEntry> audit = operator.audit(null, 50); // who, what, when, which, how many
    // end

    assertThat(preview.count()).isEqualTo(Count.exactly(1));
    assertThat(end.changed()).isOne();
    assertThat(audit)
        .extracting(AuditEntry::what)
        .containsExactly("resume", "pause", "kill", "replay");
    assertThat(operator.find(eventId).orElseThrow().lastError()).isEqualTo("poison");
  }

  @Test
  void whatAnOperatorNeedsIsAdded() {
    // snippet: operator-schema
    OutboxSchema.createOperator(dataSource); // tables for pauses and audit; create does it, too
    OutboxSchema.createOperatorIndexes(dataSource, "outbox_event"); // only if you want them
    // end

    OutboxOperator operator = OutboxOperator.of(connectionProvider, store);
    assertThat(operator.search(EventFilter.ALL, null, 10).events()).hasSize(1);
  }
}
