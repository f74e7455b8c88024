package io.outbox.internal.keyed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.outbox.EventEnvelope;
import io.outbox.fakes.FakeDatabase;
import io.outbox.fakes.FakeStore;
import io.outbox.fakes.ManualClock;
import io.outbox.internal.queue.HeldEvents;
import io.outbox.internal.store.StoreSession;
import io.outbox.internal.time.EngineClock;
import io.outbox.model.EventKey;
import io.outbox.model.EventRef;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.Outcome;
import io.outbox.spi.lanes.KeyBlock;
import io.outbox.spi.lanes.Lane;
import io.outbox.spi.lanes.LaneStore;
import java.lang.reflect.Proxy;
import java.sql.SQLRecoverableException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class EarlyLooksTest {

  private static final EventKey KEY = EventKey.named("A-17");
  private static final Lane TERM = new Lane(KEY.lane(), 4);

  private final ManualClock time = new ManualClock();
  private final EngineClock clock = new EngineClock(time);
  private final HeldEvents held = new HeldEvents();
  private final WantedKeys wanted = new WantedKeys(clock, held);
  private boolean heldWhenItsKeyIsWanted;
  private Error failsOnce;
  private final KeyReads.Feed feed =
      (KeyReads.Feed)
          Proxy.newProxyInstance(
              KeyReads.Feed.class.getClassLoader(),
              new Class<?>[] {KeyReads.Feed.class},
              (proxy, method, args) -> {
                if (failsOnce != null && method.getName().equals("isWanted")) {
                  Error error = failsOnce;
                  failsOnce = null;
                  throw error;
                }
                heldWhenItsKeyIsWanted |= method.getName().equals("isWanted") && held.size() > 0;
                return method.invoke(wanted, args);
              });
  private final KeyQueues queues = new KeyQueues(clock, 100, 100_000, true, feed);
  private Optional<Set<EventKey>> others = Optional.of(Set.of());
  private List<KeyBlock> blocks = List.of();
  private RuntimeException failure;
  private Runnable meanwhile = () -> {};
  private int questions;
  private EarlyLooks looks;

  private EarlyLooks looks() {
    looks = looks == null ? looks(true) : looks;
    return looks;
  }

  private EarlyLooks looks(boolean allowed) {
    FakeDatabase database = new FakeDatabase();
    StoreSession session = new StoreSession(database, new FakeStore(database));
    LaneStore store =
        (LaneStore)
            Proxy.newProxyInstance(
                LaneStore.class.getClassLoader(),
                new Class<?>[] {LaneStore.class},
                (proxy, method, args) -> {
                  if (method.getName().equals("blocks")) {
                    return blocks;
                  }
                  assertThat(method.getName()).isEqualTo("withOthers");
                  questions++;
                  if (failure != null) {
                    throw failure;
                  }
                  meanwhile.run();
                  return others;
                });
    StoredBlocks stored = new StoredBlocks(session, store, MetricsExporter.NOOP, true);
    return new EarlyLooks(
        new LoneKeys(session, store, stored), clock, held, queues.intake(), 100_000, allowed);
  }

  private static EventEnvelope event(String id) {
    return event(id, KEY);
  }

  private static EventEnvelope event(String id, EventKey key) {
    return EventEnvelope.builder("Tested")
        .eventId(id)
        .orderingKey(key.name())
        .payloadJson("{\"of\": \"" + id + "\"}")
        .build();
  }

  private boolean isWanted() {
    return !wanted.take(10).isEmpty();
  }

  @Test
  void anEventThatIsAloneIsDeliveredFromMemoryAtItsCommit() {
    EventEnvelope event = event("e1");
    Look look = looks().written(KEY, event, TERM);
    assertThat(looks().step()).isTrue();
    assertThat(queues.poll()).as("nothing is committed").isNull();

    looks().committed(look);
    KeyedDelivery delivery = queues.poll();
    assertThat(delivery.envelope()).isSameAs(event);
    assertThat(delivery.ref()).isEqualTo(EventRef.unleased("e1", 0));
    assertThat(delivery.term()).isEqualTo(TERM);
    assertThat(delivery.attempts()).isZero();
    assertThat(held.contains("e1")).isTrue();
    assertThat(isWanted()).as("its row is not read").isFalse();
  }

  @Test
  void anEventThatIsCommittedBeforeTheAnswerIsDeliveredWhenItComes() {
    Look look = looks().written(KEY, event("e1"), TERM);
    meanwhile = () -> looks().committed(look);
    looks().step();

    assertThat(queues.poll().eventId()).isEqualTo("e1");
  }

  /** An earlier event of the key is pending, or it was tried, or replayed. */
  @Test
  void R3_anEventThatIsNotAloneIsReadInItsTurn() {
    others = Optional.of(Set.of(KEY));
    Look look = looks().written(KEY, event("e1"), TERM);
    looks().step();
    looks().committed(look);

    assertThat(queues.poll()).isNull();
    assertThat(isWanted()).isTrue();
    assertThat(held.hasTicket(event("e1"))).isFalse();
  }

  @Test
  void R3_anEventThatAReadHasTakenIsNotDeliveredTwice() {
    EventEnvelope event = event("e1");
    Look look = looks().written(KEY, event, TERM);
    looks().step();
    OutboxEvent row =
        OutboxEvent.builder("e1", "Tested")
            .orderingKey(KEY.name())
            .payloadJson("{}")
            .createdAt(Instant.EPOCH)
            .availableAt(Instant.EPOCH)
            .seq(7)
            .build();
    KeyedDelivery read = new KeyedDelivery(row, KEY, TERM, EventEnvelope.fromRow(row), null);
    assertThat(held.holdPolled(read)).isTrue();
    held.release(read); // delivered, and its outcome written

    looks().committed(look);
    assertThat(queues.poll()).isNull();
    assertThat(isWanted()).as("what else there is of the key is read").isTrue();
  }

  /**
   * A read that finds it taken would go on to the next event of its key, and deliver that first.
   */
  @Test
  void R3_anEventThatIsReadInItsTurnIsInNobodysHandsUntilThen() {
    Look look = looks().written(KEY, event("e1"), TERM);
    looks().step();
    wanted.readAnyway(KEY);
    looks().committed(look);

    assertThat(queues.poll()).isNull();
    assertThat(heldWhenItsKeyIsWanted).isFalse();
    assertThat(held.size()).isZero();
  }

  @Test
  void R2_anEventThatIsRolledBackIsNotDelivered() {
    Look look = looks().written(KEY, event("e1"), TERM);
    meanwhile = () -> looks().ended(look);
    looks().step();
    assertThat(queues.poll()).isNull();
    assertThat(isWanted()).isFalse();

    Look next = looks().written(KEY, event("e2"), TERM);
    assertThat(next.barsItsKey()).as("its place is taken").isFalse();
    looks().ended(next);
    assertThat(looks().step()).as("nothing is left to ask").isFalse();
  }

  /** One transaction may write two events of a key: the second does not know of the first. */
  @Test
  void ofAKeyOneEventIsLookedAtATime() {
    Look first = looks().written(KEY, event("e1"), TERM);
    Look second = looks().written(KEY, event("e2"), TERM);
    assertThat(second.barsItsKey()).isTrue();
    looks().step();
    looks().committed(first);
    looks().committed(second);
    deliver("e1");
    assertThat(isWanted()).as("the second is read").isTrue();

    queues.intake().wasRead(KEY, false, 2);
    assertThat(looks().written(KEY, event("e3"), TERM).barsItsKey()).isFalse();
  }

  private void deliver(String id) {
    KeyedDelivery delivery = queues.poll();
    assertThat(delivery.eventId()).isEqualTo(id);
    queues.answered(delivery);
    queues.written(delivery, Outcome.done(delivery.ref(), 1, clock.now()));
  }

  /** The question costs the more the more of a key was finished, and would find them. */
  @Test
  void anEventBehindOthersOfItsKeyThatAreHereIsNotLookedAt() {
    looks().committed(looks().written(KEY, event("e1"), TERM));
    looks().step();
    Look behind = looks().written(KEY, event("e2"), TERM);
    assertThat(behind.barsItsKey()).isTrue();
    assertThat(looks().step()).as("nothing is asked").isFalse();
    looks().committed(behind);
    deliver("e1");

    assertThat(isWanted()).as("it is read").isTrue();
  }

  /** It may be delayed, or one of very many, or its lane was not open, or there was no room. */
  @Test
  void noEventIsLookedAtBesideAnotherOfItsKeyThatIsNot() {
    EventKey other = EventKey.named("other");
    Look unseen = looks().unseen(KEY);
    Look again = looks().unseen(KEY);
    assertThat(looks().written(other, event("o1", other), TERM).barsItsKey()).isFalse();
    Look look = looks().written(KEY, event("e1"), TERM);
    assertThat(look.barsItsKey()).isTrue();
    List.of(unseen, again, again, look).forEach(looks()::ended);
    Look next = looks().written(KEY, event("e2"), TERM);
    assertThat(next.barsItsKey()).isFalse();
    looks().ended(next);

    Look any = looks().unseen(null);
    assertThat(looks().written(KEY, event("e3"), TERM).barsItsKey()).isTrue();
    looks().ended(any);
  }

  /** An event with a delay may have been committed right behind it, and have parked the key. */
  @Test
  void R20_aKeyIsReadForALateAnswerWhateverItIsParkedFor() {
    others = Optional.of(Set.of(KEY));
    Look look = looks().written(KEY, event("e1"), TERM);
    looks().committed(look);
    wanted.committed(KEY, clock.now().plusSeconds(1_800));
    looks().step();

    assertThat(isWanted()).isTrue();
  }

  /** The writer of an earlier event may be slow to tell that it was committed. */
  @Test
  void R20_anEventIsDeliveredAtALateCommitWhateverIsDelayedBehindIt() {
    Look look = looks().written(KEY, event("e1"), TERM);
    looks().step();
    wanted.committed(KEY, clock.now().plusSeconds(1_800));
    looks().committed(look);

    assertThat(queues.poll().eventId()).isEqualTo("e1");
  }

  @Test
  void R20_aKeyIsReadForAnEventThatWasNotLookedAtWhateverElseIsDelayed() {
    Look unseen = looks().unseen(KEY);
    wanted.committed(KEY, clock.now().plusSeconds(1_800));
    looks().committed(unseen);

    assertThat(isWanted()).isTrue();
  }

  /** It was tried, and the next of its key wait for it. */
  @Test
  void anEventBehindOneThatWaitsForItsTimeIsNeitherLookedAtNorRead() {
    wanted.readAt(KEY, clock.now().plusSeconds(30));
    Look look = looks().written(KEY, event("e1"), TERM);
    assertThat(look.barsItsKey()).isTrue();
    looks().committed(look);

    assertThat(looks().step()).isFalse();
    assertThat(isWanted()).isFalse();
    time.advance(Duration.ofSeconds(30));
    assertThat(isWanted()).isTrue();
  }

  /** Memory may run out between two steps. */
  @Test
  void R1_anErrorAfterOneLookLeavesNothingBehindAndAnswersTheOthers() {
    EventKey other = EventKey.named("other");
    EventEnvelope event = event("e1");
    looks().committed(looks().written(KEY, event, TERM));
    looks().committed(looks().written(other, event("o1", other), TERM));
    failsOnce = new OutOfMemoryError("injected");
    looks().step();

    assertThat(queues.poll().eventId()).isEqualTo("o1");
    assertThat(held.hasTicket(event)).isFalse();
    assertThat(looks().written(KEY, event("e2"), TERM).barsItsKey()).isFalse();
  }

  /** As every other time, the writer's does not decide when an event is due. */
  @Test
  void R20_aWriterWhoseClockIsAheadDoesNotMakeAnEventWait() {
    EventEnvelope event =
        EventEnvelope.builder("Tested")
            .eventId("e1")
            .orderingKey(KEY.name())
            .payloadJson("{}")
            .occurredAt(clock.now().plusSeconds(60))
            .build();
    Look look = looks().written(KEY, event, TERM);
    looks().step();
    looks().committed(look);

    assertThat(queues.poll().eventId()).isEqualTo("e1");
  }

  @Test
  void anEventOfABlockedKeyIsRead() {
    blocks = List.of(new KeyBlock(KEY, "dead", Instant.EPOCH, null));
    Look look = looks().written(KEY, event("e1"), TERM);
    looks().step();
    looks().committed(look);

    assertThat(queues.poll()).isNull();
    assertThat(isWanted()).isTrue();
  }

  @Test
  void aStoreThatCannotTellIsNotAskedAgain() {
    others = Optional.empty();
    Look look = looks().written(KEY, event("e1"), TERM);
    looks().step();
    looks().committed(look);
    assertThat(isWanted()).isTrue();

    assertThat(looks().written(KEY, event("e2"), TERM)).isNull();
    assertThat(questions).isEqualTo(1);
  }

  @Test
  void R2_nothingIsDeliveredFromMemoryWhereEveryRowIsToBeSeen() {
    assertThat(looks(false).written(KEY, event("e1"), TERM)).isNull();
  }

  @Test
  void R1_anEventIsReadThatTheDatabaseDidNotTellAbout() {
    failure = new IllegalStateException(new SQLRecoverableException("away"));
    Look look = looks().written(KEY, event("e1"), TERM);
    looks().committed(look);
    assertThatIllegalStateException().isThrownBy(() -> looks().step());
    assertThat(isWanted()).isTrue();

    failure = null;
    Look next = looks().written(KEY, event("e2"), TERM);
    looks().step();
    looks().committed(next);
    assertThat(queues.poll().eventId()).isEqualTo("e2");
  }

  /** A proxy or a firewall may. */
  @Test
  void aDatabaseThatRefusesTheQuestionAgainAndAgainIsNotAskedAnyMore() {
    failure = new IllegalStateException("two statements at once");
    for (int i = 0; i < 3; i++) {
      Look look = looks().written(KEY, event("e" + i), TERM);
      assertThat(look).isNotNull();
      if (i < 2) {
        assertThatIllegalStateException().isThrownBy(() -> looks().step());
      } else {
        looks().step();
      }
      looks().committed(look);
      assertThat(isWanted()).isTrue();
    }
    assertThat(looks().written(KEY, event("next"), TERM)).isNull();
  }

  @Test
  void R13_looksAreBounded() {
    List<Look> open =
        IntStream.range(0, 5_000)
            .mapToObj(i -> EventKey.named("key-" + i))
            .map(key -> looks().written(key, event("of " + key.name(), key), TERM))
            .toList();
    assertThat(open.stream().filter(look -> !look.barsItsKey())).hasSizeBetween(100, 200);
    Look another = looks().written(KEY, event("e1"), TERM);
    assertThat(another.barsItsKey()).isTrue();
    open.forEach(looks()::ended);
    looks().ended(another);
    assertThat(looks().step()).as("nothing is left to ask").isFalse();
    assertThat(looks().written(KEY, event("e2"), TERM).barsItsKey()).isFalse();
  }

  /** Its transaction never told how it ended. */
  @Test
  void R13_anEventWhoseTicketExpiresGivesItsPlaceBack() {
    EventEnvelope event = event("e1");
    Look look = looks().written(KEY, event, TERM);
    looks().step();
    looks().expired(held.endTicket(event));

    assertThat(looks().written(KEY, event("e2"), TERM).barsItsKey()).isFalse();
    looks().committed(look); // after all
    assertThat(queues.poll()).isNull();
    assertThat(isWanted()).isTrue();
  }
}
