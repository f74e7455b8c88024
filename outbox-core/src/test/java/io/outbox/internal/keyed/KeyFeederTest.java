package io.outbox.internal.keyed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.outbox.fakes.FakeDatabase;
import io.outbox.fakes.FakeStore;
import io.outbox.fakes.ManualClock;
import io.outbox.internal.lanes.OwnedLanes;
import io.outbox.internal.member.HaltedRoutes;
import io.outbox.internal.member.PausedRoutes;
import io.outbox.internal.queue.HeldEvents;
import io.outbox.internal.store.BacklogReport;
import io.outbox.internal.store.LagReport;
import io.outbox.internal.store.StoreSession;
import io.outbox.internal.time.EngineClock;
import io.outbox.model.EventKey;
import io.outbox.model.EventRoute;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.Outcome;
import io.outbox.spi.PollCursor;
import io.outbox.spi.lanes.DueEvent;
import io.outbox.spi.lanes.DuePage;
import io.outbox.spi.lanes.KeyBlock;
import io.outbox.spi.lanes.KeyPage;
import io.outbox.spi.lanes.KeyQuery;
import io.outbox.spi.lanes.Lane;
import io.outbox.spi.lanes.LaneGrant;
import io.outbox.spi.lanes.LaneStore;
import io.outbox.spi.lanes.SinglesPage;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class KeyFeederTest {

  private static final long NEVER_NANOS = TimeUnit.DAYS.toNanos(1);

  private final ManualClock time = new ManualClock();
  private final EngineClock clock = new EngineClock(time);
  private final HeldEvents held = new HeldEvents();
  private final WantedKeys wanted = new WantedKeys(clock, held);
  private final KeyQueues queues = new KeyQueues(clock, 100, 10_000, false, wanted);
  private final EventKey key = EventKey.named("A-17");
  private final List<KeyQuery> reads = new ArrayList<>();
  private final List<EventKey> scannedAfter = new ArrayList<>();
  private final List<EventKey> pages = new ArrayList<>(); // their last keys
  private final List<KeyPage> answers = new ArrayList<>(); // of reads
  private static final EventRoute ROUTE = new EventRoute("Order", "Placed");

  private List<EventRoute> busy = List.of();
  private List<EventRoute> down = List.of();
  private boolean away;
  private int scans;
  private int readsByTime;
  private final List<PollCursor> looksByTime = new ArrayList<>();
  private List<DueEvent> due = List.of();
  private List<KeyBlock> blockers = List.of();
  private int moreDue; // pages by time behind the first
  private boolean manyDue; // events of other keys on each
  private int passed; // keys on each page from key to key that wait
  private Optional<SinglesPage> byTime = Optional.empty();

  private final LaneStore store =
      (LaneStore)
          Proxy.newProxyInstance(
              LaneStore.class.getClassLoader(),
              new Class<?>[] {LaneStore.class},
              (proxy, method, args) -> {
                if (away) {
                  throw new IllegalStateException("away");
                }
                return switch (method.getName()) {
                  case "blocks" -> blockers;
                  case "singles" -> {
                    readsByTime++;
                    yield byTime;
                  }
                  case "due" -> {
                    looksByTime.add((PollCursor) args[2]);
                    yield new DuePage(
                        manyDue ? thousandDue() : due,
                        moreDue > 0 ? Optional.of(moreBehind(--moreDue)) : Optional.empty());
                  }
                  case "scan" -> {
                    scans++;
                    scannedAfter.add((EventKey) args[2]);
                    yield new KeyPage(
                        List.of(),
                        passed,
                        Optional.ofNullable(pages.isEmpty() ? null : pages.remove(0)));
                  }
                  case "read" -> read((KeyQuery) args[2]);
                  default -> throw new UnsupportedOperationException(method.getName());
                };
              });

  /** Of a key whose first event is not due, only that event comes; the answer takes its time. */
  private KeyPage read(KeyQuery query) {
    reads.add(query);
    if (!answers.isEmpty()) {
      return answers.remove(0);
    }
    OutboxEvent first = row("first", query.now(), query.now().plusMillis(20));
    time.advance(Duration.ofMillis(30));
    return new KeyPage(reads.size() == 1 ? List.of(first) : List.of(), 1, Optional.empty());
  }

  private static OutboxEvent row(String id, Instant createdAt, Instant availableAt) {
    return OutboxEvent.builder(id, "Tested")
        .orderingKey("A-17")
        .payloadJson("{}")
        .status(EventStatus.NEW)
        .createdAt(createdAt)
        .availableAt(availableAt)
        .seq(1)
        .build();
  }

  private List<DueEvent> thousandDue() {
    return IntStream.range(0, 1_000)
        .mapToObj(i -> "key-" + looksByTime.size() + "-" + i)
        .map(name -> new DueEvent(new EventKey(key.lane(), name), name, Instant.EPOCH))
        .toList();
  }

  private static PollCursor moreBehind(int pages) {
    return PollCursor.behind(Instant.EPOCH, pages);
  }

  private KeyFeeder feeder() {
    OwnedLanes lanes =
        new OwnedLanes("n", () -> 0, Duration.ofDays(1), Duration.ZERO, Duration.ZERO);
    lanes.taken(0, new LaneGrant(1, List.of(new Lane(key.lane(), 1))));
    FakeDatabase database = new FakeDatabase();
    HaltedRoutes halted =
        new HaltedRoutes(
            new PausedRoutes(List.of(), (begun, ended) -> {}, () -> true),
            () -> Stream.concat(busy.stream(), down.stream()).toList(),
            () -> Set.of(ROUTE),
            () -> Set.copyOf(busy));
    StoreSession session = new StoreSession(database, new FakeStore(database));
    LaneReader reader = new LaneReader(session, store, clock, halted, 10);
    StoredBlocks blocks = new StoredBlocks(session, store, MetricsExporter.NOOP, false);
    KeyHandover handover =
        new KeyHandover(reader, blocks, clock, held, queues.intake(), wanted, halted);
    KeyScan scan =
        new KeyScan(
            reader,
            handover,
            halted,
            new BacklogReport(session, MetricsExporter.NOOP),
            new LagReport(session, clock, MetricsExporter.NOOP),
            () -> 0,
            NEVER_NANOS);
    return new KeyFeeder(lanes, wanted, queues.intake(), reader, handover, scan, () -> true);
  }

  private static void stepToTheEnd(KeyFeeder feeder) {
    while (feeder.step(10)) {
      // there may be more to do
    }
  }

  /** Nobody asks for it again: a pause, or the time without notifications, has ended once. */
  @Test
  void R1_aScanThatTheDatabaseDidNotAnswerIsMadeWhenItDoes() {
    KeyFeeder feeder = feeder();
    stepToTheEnd(feeder);
    assertThat(scans).isEqualTo(1);

    wanted.wantAll();
    away = true;
    assertThatIllegalStateException().isThrownBy(() -> feeder.step(10));
    away = false;
    stepToTheEnd(feeder);

    assertThat(scans).isEqualTo(2);
  }

  /** Or the keys behind a large backlog of a busy listener would never be reached. */
  @Test
  void aBusyListenerThatHasRoomDoesNotThrowTheScanBack() {
    List<EventRoute> closed = List.of(ROUTE);
    EventKey first = EventKey.named("B");
    EventKey far = EventKey.named("M");
    pages.addAll(List.of(far, first));
    busy = closed;
    KeyFeeder feeder = feeder();
    feeder.step(10); // by time
    feeder.step(10); // up to M

    busy = List.of();
    feeder.roomAgain();
    feeder.step(10); // by time
    feeder.step(10); // up to B
    busy = closed;
    stepToTheEnd(feeder);

    assertThat(scannedAfter).containsExactly(null, null, far);
  }

  /** From key to key all other events would come slower, for as long as one listener is busy. */
  @Test
  void aBusyListenerLeavesTheWayByTimeToOthers() {
    busy = List.of(ROUTE);
    feeder().step(10);

    assertThat(readsByTime).isEqualTo(1);
  }

  /** Its backlog may be the oldest, and is looked at whenever it has room. */
  @Test
  void R12_theWayByTimeEndsWhereOnlyEventsOfABusyListenerAre() {
    PollCursor end = new PollCursor(Instant.EPOCH, 1, null, 0);
    byTime = Optional.of(new SinglesPage(List.of(), 0, Optional.of(end)));
    busy = List.of(ROUTE);
    stepToTheEnd(feeder());

    assertThat(readsByTime).isEqualTo(1);
    assertThat(scans).isEqualTo(1);
  }

  @Test
  void aListenerThatIsDownClosesTheWayByTime() {
    busy = List.of(ROUTE);
    down = List.of(new EventRoute("Customer", "Moved"));
    feeder().step(10);

    assertThat(readsByTime).isZero();
    assertThat(scans).isEqualTo(1);
  }

  /** Or its first events would be passed, and nobody would look for them soon. */
  @Test
  void R1_anotherListenerThatGoesDownDoesNotEndTheLookAtTheFirstKeys() {
    EventKey first = EventKey.named("B");
    EventKey far = EventKey.named("M");
    pages.addAll(List.of(far, first));
    busy = List.of(ROUTE);
    KeyFeeder feeder = feeder();
    feeder.step(10); // by time
    feeder.step(10); // up to M

    busy = List.of();
    feeder.roomAgain();
    feeder.step(10); // by time
    feeder.step(10); // up to B
    down = List.of(new EventRoute("Customer", "Moved"));
    feeder.step(10);

    assertThat(scannedAfter).startsWith(null, null, first);
  }

  /** An event without a delay was committed behind one of its key that waits for an hour. */
  @Test
  void R11_aParkedKeyIsReadWhenTheTableSaysThatItIsDue() {
    pages.addAll(List.of(EventKey.named("B"), EventKey.named("M"))); // a scan takes long
    KeyFeeder feeder = feeder();
    feeder.step(10);
    feeder.step(10);
    wanted.readAt(key, clock.now().plusSeconds(3_600));
    due = List.of(new DueEvent(key, "first", clock.now()));

    wanted.wantAll(); // as after an interval
    feeder.step(10);

    assertThat(reads).hasSize(1);
  }

  /** Very many keys wait; one of many has an event that is due. */
  @Test
  void R12_whereMostKeysOnlyWaitDueKeysAreFoundByTime() {
    passed = 1_000;
    pages.addAll(Collections.nCopies(50, EventKey.named("B")));
    due = List.of(new DueEvent(key, "first", clock.now()));
    moreDue = 3;
    KeyFeeder feeder = feeder();
    stepToTheEnd(feeder);

    assertThat(queues.poll().eventId()).isEqualTo("first");
    assertThat(looksByTime)
        .as("to the end")
        .containsExactly(null, moreBehind(2), moreBehind(1), moreBehind(0));
    assertThat(scans).as("more of them in the next interval").isBetween(2, 30);
    assertThat(reads).as("reads of the key, and of what is behind its first event").hasSize(2);
  }

  /** Whatever else is delivered meanwhile: to pass them is not worth more for that. */
  @Test
  void R12_keysThatWaitArePassedSlowlyBesideOthersThatDoNot() {
    passed = 1_000;
    pages.addAll(Collections.nCopies(500, EventKey.named("B")));
    KeyFeeder feeder = feeder();
    for (int i = 0; i < 200; i++) {
      answers.add(
          new KeyPage(
              List.of(row("e" + i, Instant.EPOCH, Instant.EPOCH)), 1, Optional.empty(), Set.of()));
      queues.intake().committed(key);
      feeder.step(10);
      KeyedDelivery next = queues.poll();
      if (next != null) {
        queues.answered(next);
        queues.written(next, Outcome.done(next.ref(), 0, clock.now()));
        held.release(next);
      }
    }

    assertThat(reads).hasSizeGreaterThan(100);
    assertThat(scans).isLessThan(50);
  }

  /** Its first event was put off, and an operator has ended that one; or it is not its first. */
  @Test
  void R11_aKeyThatIsParkedIsReadIfItHasADueEvent() {
    passed = 1_000;
    pages.addAll(Collections.nCopies(5, EventKey.named("B")));
    wanted.readAt(key, clock.now().plusSeconds(3_600));
    due = List.of(new DueEvent(key, "first", Instant.EPOCH));
    stepToTheEnd(feeder());

    assertThat(reads).isNotEmpty();
  }

  /** A transaction of very many events asks for all keys, and there may be many of these. */
  @Test
  void R12_howOftenAllKeysAreWantedDoesNotChangeHowManyArePassedForNothing() {
    passed = 1_000;
    pages.addAll(Collections.nCopies(500, EventKey.named("B")));
    KeyFeeder feeder = feeder();
    for (int i = 0; i < 20; i++) {
      wanted.wantAll();
      stepToTheEnd(feeder);
    }

    assertThat(scans).isLessThan(50);
    assertThat(looksByTime).as("but new events are looked for").hasSizeGreaterThan(20);
  }

  /**
   * Of each the first event is put off, and others wait behind it: nobody can remember them all.
   */
  @Test
  void R12_keysThatWaitWithDueEventsBehindTheirFirstAreReadWithinABudget() {
    passed = 1_000;
    pages.addAll(Collections.nCopies(500, EventKey.named("B")));
    manyDue = true;
    moreDue = 500;
    KeyFeeder feeder = feeder();
    for (int i = 0; i < 2_000 && feeder.step(10); i++) {
      answers.add(new KeyPage(List.of(), 1, Optional.empty()));
    }

    assertThat(looksByTime).hasSizeBetween(2, 10);
  }

  /** The same numbers, in pages that are as large as the room there is. */
  @Test
  void R12_smallPagesOfKeysThatWaitAreCountedToo() {
    passed = 100;
    pages.addAll(Collections.nCopies(5_000, EventKey.named("B")));
    stepToTheEnd(feeder());

    assertThat(scans).isLessThan(500);
  }

  /** To look past events of a listener that is down may cost a look at all of them. */
  @Test
  void R12_besideEventsThatAreHaltedNoKeysAreLookedForByTime() {
    passed = 1_000;
    pages.addAll(Collections.nCopies(5, EventKey.named("B")));
    down = List.of(ROUTE);
    stepToTheEnd(feeder());

    assertThat(scans).isPositive();
    assertThat(looksByTime).isEmpty();
  }

  /** Its events wait for an operator: to read it again and again is worth nothing. */
  @Test
  void aBlockedKeyIsNotWantedForItsDueEvents() {
    passed = 1_000;
    pages.addAll(Collections.nCopies(5, EventKey.named("B")));
    blockers = List.of(new KeyBlock(key, "dead", clock.now(), null));
    due = List.of(new DueEvent(key, "first", clock.now()));
    stepToTheEnd(feeder());
    assertThat(reads).isEmpty();

    due = List.of(new DueEvent(key, "dead", clock.now())); // it was replayed
    pages.addAll(Collections.nCopies(5, EventKey.named("B")));
    stepToTheEnd(feeder());
    assertThat(reads).isNotEmpty();
  }

  /** The store left out the second event of the key, whose commit nobody tells of again. */
  @Test
  void R1_whatIsBehindAnEventThatBecameDueDuringTheReadIsReadToo() {
    KeyFeeder feeder = feeder();
    stepToTheEnd(feeder);
    queues.intake().committed(key);
    stepToTheEnd(feeder);
    KeyedDelivery first = queues.poll();
    assertThat(first.eventId()).isEqualTo("first");
    stepToTheEnd(feeder);

    assertThat(reads).hasSize(2);
  }

  /** Or those behind would wait for the next scan: nobody tells of their commits again. */
  @Test
  void R11_whatIsBehindEventsThatEndedDuringTheReadIsReadToo() {
    OutboxEvent left = row("left", Instant.EPOCH, Instant.EPOCH);
    KeyPage nothing = new KeyPage(List.of(), 1, Optional.empty());
    answers.add(new KeyPage(List.of(), 1, Optional.empty(), Set.of(key)));
    answers.add(new KeyPage(List.of(left), 1, Optional.empty(), Set.of(key)));
    answers.add(nothing);
    KeyFeeder feeder = feeder();
    stepToTheEnd(feeder);
    queues.intake().committed(key);
    stepToTheEnd(feeder);

    assertThat(reads).hasSize(3);
    assertThat(queues.poll().eventId()).isEqualTo("left");
  }
}
