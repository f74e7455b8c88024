package io.outbox.dead;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.outbox.EventEnvelope;
import io.outbox.fakes.CapturedLogs;
import io.outbox.fakes.Events;
import io.outbox.fakes.FakeDatabase;
import io.outbox.fakes.FakeStore;
import io.outbox.fakes.SpecOnlyStore;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DeadEventManagerTest {

  private final FakeDatabase database = new FakeDatabase();
  private final FakeStore store = new FakeStore(database);
  private final DeadEventManager manager = new DeadEventManager(database, store);

  @AfterEach
  void everyConnectionIsGivenBack() {
    assertThat(database.openConnections()).isZero();
    assertThat(database.statesAtClose()).doesNotContain("in transaction");
  }

  private void dead(String id) {
    dead(Events.event(id));
  }

  private void dead(EventEnvelope event) {
    store.seed(
        event,
        row -> {
          row.status = EventStatus.DEAD;
          row.attempts = 10;
        });
  }

  @Test
  void deadEventsAreFoundOldestFirst() {
    dead("a");
    store.seed(Events.event("alive"));
    dead("b");
    dead("c");

    assertThat(manager.query(null, null, 10))
        .extracting(OutboxEvent::eventId)
        .containsExactly("a", "b", "c");
    assertThat(manager.query(null, null, 2)).hasSize(2);
    assertThat(manager.count(null)).isEqualTo(3);
  }

  @Test
  void filtersChoose() {
    dead(Events.event("a", "This"));
    dead(
        EventEnvelope.builder("This")
            .eventId("b")
            .aggregateType("Order")
            .payloadJson("{}")
            .build());
    dead(Events.event("c", "That"));

    assertThat(manager.query("This", null, 10)).hasSize(2);
    assertThat(manager.query("This", "Order", 10)).hasSize(1);
    assertThat(manager.count("This")).isEqualTo(2);
    assertThat(manager.replayAll("This", "Order", 10)).isEqualTo(1);
    assertThat(store.status("b")).isEqualTo(EventStatus.NEW);
    assertThat(store.status("a")).isEqualTo(EventStatus.DEAD);
  }

  @Test
  void aReplayedEventHasANewLife() {
    dead("a");

    assertThat(manager.replay("a")).isTrue();
    assertThat(store.status("a")).isEqualTo(EventStatus.NEW);
    assertThat(store.row("a").attempts()).isZero();
  }

  @Test
  void whatIsNotDeadIsNotReplayed() {
    store.seed(Events.event("a"));

    assertThat(manager.replay("a")).isFalse();
    assertThat(manager.replay("unknown")).isFalse();
  }

  @Test
  void allIsReplayedBatchByBatch() {
    for (int i = 0; i < 25; i++) {
      dead("e" + i);
    }
    int before = database.commits();

    assertThat(manager.replayAll(null, null, 10)).isEqualTo(25);
    assertThat(store.count(EventStatus.DEAD)).isZero();
    assertThat(database.commits() - before).isEqualTo(3);
  }

  @Test
  void nothingDeadIsNothingToReplay() {
    assertThat(manager.replayAll(null, null, 10)).isZero();
    assertThat(manager.replayAll("None", "None", 10)).isZero();
  }

  @Test
  void whatDiesAgainMeanwhileIsNotReplayedTwiceAndHidesNothing() {
    for (int i = 0; i < 12; i++) {
      dead("e" + i);
    }
    store.before("replayDead", id -> killAllThatLive());

    assertThat(manager.replayAll(null, null, 2)).isEqualTo(12);
    assertThat(store.rows()).allSatisfy(row -> assertThat(row.leaseNumber()).isEqualTo(1));
  }

  private void killAllThatLive() {
    try (Connection conn = database.getConnection()) {
      for (OutboxEvent row : store.rows()) {
        if (row.status().isPending()) {
          store.markDead(conn, row.eventId(), "again");
        }
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void R6_aBatchThatFailsIsNotHalfReplayed() {
    for (int i = 0; i < 6; i++) {
      dead("e" + i);
    }
    store.before(
        "replayDead",
        id -> {
          if (id.equals("e5")) {
            throw new IllegalStateException("injected");
          }
        });

    assertThat(manager.replayAll(null, null, 4)).isEqualTo(4);
    assertThat(store.status("e4")).isEqualTo(EventStatus.DEAD);
    assertThat(CapturedLogs.of(DeadEventManager.class, Level.SEVERE)).isNotEmpty();
  }

  @Test
  void aFailureIsLoggedAndAnsweredNeutrally() {
    dead("a");
    database.onConnect =
        () -> {
          throw new SQLException("refused", "08001");
        };

    assertThat(manager.query(null, null, 10)).isEqualTo(List.of());
    assertThat(manager.replay("a")).isFalse();
    assertThat(manager.replayAll(null, null, 10)).isZero();
    assertThat(manager.count(null)).isZero();
    assertThat(CapturedLogs.of(DeadEventManager.class, Level.SEVERE)).hasSize(4);
    database.onConnect = () -> {};
    assertThat(store.status("a")).isEqualTo(EventStatus.DEAD);
  }

  @Test
  void aStoreThatCannotDoItAnswersNeutrally() {
    DeadEventManager poor = new DeadEventManager(database, new SpecOnlyStore(store));

    assertThat(poor.query(null, null, 1)).isEmpty();
    assertThat(poor.replay("a")).isFalse();
    assertThat(poor.replayAll(null, null, 1)).isZero();
    assertThat(poor.count(null)).isZero();
  }

  @Test
  void aStoreThatCannotCountReplaysAllTheSame() {
    for (int i = 0; i < 25; i++) {
      dead("e" + i);
    }
    store.before("replayDead", id -> killAllThatLive());
    DeadEventManager uncounted =
        new DeadEventManager(
            database,
            new SpecOnlyStore(store) {
              @Override
              public List<OutboxEvent> queryDead(
                  Connection conn, String eventType, String aggregateType, int limit) {
                return store.queryDead(conn, eventType, aggregateType, limit);
              }

              @Override
              public int replayDead(Connection conn, String eventId) {
                return store.replayDead(conn, eventId);
              }
            });

    assertThat(uncounted.replayAll(null, null, 10)).isEqualTo(25);
    assertThat(store.rows()).allSatisfy(row -> assertThat(row.leaseNumber()).isEqualTo(1));
    assertThat(CapturedLogs.of(DeadEventManager.class, Level.SEVERE)).isEmpty();
  }

  @Test
  void R17_wrongArgumentsAreRefused() {
    assertThatIllegalArgumentException().isThrownBy(() -> manager.query(null, null, 0));
    assertThatIllegalArgumentException().isThrownBy(() -> manager.replayAll(null, null, 0));
    assertThatNullPointerException().isThrownBy(() -> manager.replay(null));
    assertThatNullPointerException().isThrownBy(() -> new DeadEventManager(null, store));
    assertThatNullPointerException().isThrownBy(() -> new DeadEventManager(database, null));
  }
}
