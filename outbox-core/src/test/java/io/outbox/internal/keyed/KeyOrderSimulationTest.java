package io.outbox.internal.keyed;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.fakes.FakeDatabase;
import io.outbox.fakes.ManualClock;
import io.outbox.internal.lanes.OwnedLanes;
import io.outbox.internal.member.HaltedRoutes;
import io.outbox.internal.member.PausedRoutes;
import io.outbox.internal.queue.HeldEvents;
import io.outbox.internal.record.UnwrittenOutcome;
import io.outbox.internal.store.BacklogReport;
import io.outbox.internal.store.LagReport;
import io.outbox.internal.store.StoreSession;
import io.outbox.internal.time.EngineClock;
import io.outbox.model.EventKey;
import io.outbox.model.EventRoute;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.OutboxStore;
import io.outbox.spi.Outcome;
import io.outbox.spi.OutcomeResult;
import io.outbox.spi.PollCursor;
import io.outbox.spi.lanes.DueEvent;
import io.outbox.spi.lanes.DuePage;
import io.outbox.spi.lanes.KeyBlock;
import io.outbox.spi.lanes.KeyPage;
import io.outbox.spi.lanes.KeyQuery;
import io.outbox.spi.lanes.Lane;
import io.outbox.spi.lanes.LaneGrant;
import io.outbox.spi.lanes.LaneReturn;
import io.outbox.spi.lanes.LaneStore;
import io.outbox.spi.lanes.LaneView;
import java.sql.Connection;
import java.sql.SQLTransactionRollbackException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The queues, the feeder and the writing of outcomes of one node, without threads: while the table
 * is read, anything may happen. To see one schedule again: {@code -Doutbox.keys.seed=N}.
 */
class KeyOrderSimulationTest {

  private static final int SCHEDULES = Integer.getInteger("outbox.keys.schedules", 1_000);
  private static final int STEPS = 350;
  private static final int KEYS = 5;
  private static final boolean TRACED = Long.getLong("outbox.keys.seed") != null;
  private static final Duration INTERVAL = Duration.ofMillis(500);

  /** Of lanes that nobody takes over, though their renewals are late or lost. */
  private static final Duration LAPSING_LEASE = Duration.ofMillis(60);

  @Test
  @Timeout(600) // a loaded machine is slow, not wrong
  void eventsOfAKeyAreDeliveredInOrderAndNoneIsForgotten() throws Exception {
    run(SCHEDULES);
  }

  @Test
  @Tag("soak")
  void soak() throws Exception {
    run(Integer.getInteger("outbox.keys.schedules", 1_000_000));
  }

  private static void run(int schedules) throws Exception {
    Long only = Long.getLong("outbox.keys.seed");
    long first = only != null ? only : Long.getLong("outbox.keys.first", 1);
    long calls = 0;
    long fromMemory = 0;
    long looksByTime = 0;
    long start = System.nanoTime();
    for (long seed = first; seed < first + (only != null ? 1 : schedules); seed++) {
      Schedule schedule = new Schedule(seed);
      try {
        schedule.run();
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("to see it again: -Doutbox.keys.seed=" + seed, e);
      }
      calls += schedule.calls;
      fromMemory += schedule.fromMemory;
      looksByTime += schedule.looksByTime;
    }
    System.out.printf(
        "keys: %,d seeds from %d, %,d calls, %,d from memory, %,d looks by time, %,.1f s%n",
        only != null ? 1 : schedules,
        first,
        calls,
        fromMemory,
        looksByTime,
        (System.nanoTime() - start) / 1e9);
    assertThat(calls).isGreaterThan(only != null ? 0 : schedules);
    assertThat(fromMemory).isGreaterThan(only != null ? -1 : schedules / 2);
    assertThat(looksByTime).isGreaterThan(only != null ? -1 : 2 * schedules);
  }

  private static final class Row {
    private final String id;
    private final EventKey key;
    private final long seq;
    private EventStatus status = EventStatus.NEW;
    private Instant availableAt;
    private int attempts;
    private boolean isDelayed;
    private int ahead; // of its writer's clock, in milliseconds

    Row(EventKey key, long seq, Instant availableAt) {
      this.id = "e" + seq;
      this.key = key;
      this.seq = seq;
      this.availableAt = availableAt;
    }

    boolean isPending() {
      return status == EventStatus.NEW || status == EventStatus.RETRY;
    }

    String type() {
      return seq % 3 == 0 ? "Paused" : seq % 7 == 0 ? "Down" : "T";
    }

    OutboxEvent read() {
      return OutboxEvent.builder(id, type())
          .orderingKey(key.name())
          .payloadJson("{}")
          .status(status)
          .attempts(attempts)
          .availableAt(availableAt)
          .createdAt(availableAt.plusMillis(ahead))
          .seq(seq)
          .build();
    }
  }

  /** Its rows, and what was looked up of each. */
  private static final class Transaction {
    private final EventKey key;
    private final Map<Row, Look> rows = new LinkedHashMap<>();

    Transaction(EventKey key) {
      this.key = key;
    }
  }

  private static final class Schedule implements OutboxStore, LaneStore {
    private final Random random;
    private final ManualClock clock = new ManualClock();
    private final EngineClock engineClock = new EngineClock(clock);
    private final Map<EventKey, TreeMap<Long, Row>> table = new LinkedHashMap<>();
    private final Map<EventKey, String> blocks = new HashMap<>();
    private final OwnedLanes lanes;
    private final HeldEvents held = new HeldEvents();
    private final WantedKeys wanted;
    private final EarlyLooks looks;
    private final KeyFeeder feeder;
    private final KeyQueues queues;
    private final KeyedOutcomes outcomes;
    private final PausedRoutes paused =
        new PausedRoutes(List.of(), this::pausesChanged, () -> true);
    private final boolean leavesPausedOut; // or the store returns them all the same
    private final List<KeyedDelivery> taken = new ArrayList<>(); // by workers, and not begun
    private final List<KeyedDelivery> running = new ArrayList<>();
    private final List<UnwrittenOutcome<KeyedDelivery>> unwritten = new ArrayList<>();
    private final Map<String, Lane> succeeded = new HashMap<>(); // under which term
    private final Set<EventKey> lateKeys = new HashSet<>(); // whose numbers are not in order
    private final List<Transaction> open = new ArrayList<>();
    private final List<KeyBlock> blocksToAdd = new ArrayList<>();
    private final boolean blockAfterDead;
    private final List<EventKey> keys;
    private final long[] epochs = new long[EventKey.LANES];
    private final Set<Integer> lost = new HashSet<>();
    private Map<String, Outcome> transaction; // null: none
    private List<EventRoute> down = List.of(); // of a listener that is
    private final boolean quiet; // most events come when nothing is left
    private boolean calm;
    private boolean reading;
    private boolean looking;
    private long nextSeq = 1;
    private int calls;
    private int fromMemory; // whose rows were not read
    private final int manyThatWait; // a page from key to key passes so many besides
    private int looksByTime;

    Schedule(long seed) {
      random = new Random(seed);
      blockAfterDead = random.nextInt(4) == 0;
      leavesPausedOut = random.nextBoolean();
      quiet = random.nextBoolean();
      manyThatWait = random.nextBoolean() ? 20_000 : 0;
      keys = IntStream.range(0, KEYS).mapToObj(i -> EventKey.named("key-" + i)).toList();
      keys.forEach(key -> table.put(key, new TreeMap<>()));
      if (random.nextBoolean()) {
        lateKeys.add(keys.get(0));
      }
      StoreSession session = new StoreSession(new FakeDatabase(), this);
      lanes =
          new OwnedLanes(
              "node",
              this::nanos,
              random.nextBoolean() ? Duration.ofDays(1) : LAPSING_LEASE,
              Duration.ZERO,
              Duration.ofSeconds(1));
      renew();
      wanted = new WantedKeys(engineClock, held);
      int maxRows = 5 + random.nextInt(20);
      queues =
          new KeyQueues(engineClock, 3 + random.nextInt(10), 1_000_000, blockAfterDead, wanted);
      HaltedRoutes halted = new HaltedRoutes(paused, () -> down, Set::of, Set::of);
      LaneReader reader = new LaneReader(session, this, engineClock, halted, maxRows);
      StoredBlocks blocks = new StoredBlocks(session, this, MetricsExporter.NOOP, blockAfterDead);
      looks =
          new EarlyLooks(
              new LoneKeys(session, this, blocks),
              engineClock,
              held,
              queues.intake(),
              1_000_000,
              true);
      KeyHandover handover =
          new KeyHandover(reader, blocks, engineClock, held, queues.intake(), wanted, halted);
      KeyScan scan =
          new KeyScan(
              reader,
              handover,
              halted,
              new BacklogReport(session, MetricsExporter.NOOP),
              new LagReport(session, engineClock, MetricsExporter.NOOP),
              this::nanos,
              INTERVAL.toNanos());
      feeder =
          new KeyFeeder(
              lanes, wanted, queues.intake(), reader, handover, scan, () -> !paused.isAllPaused());
      outcomes = new KeyedOutcomes(session, this, "node", queues, blockAfterDead, this::lanesLost);
    }

    private long nanos() {
      return Duration.between(Instant.EPOCH, clock.instant()).toNanos();
    }

    private void renew() {
      List<Lane> owned =
          IntStream.range(0, EventKey.LANES)
              .filter(lane -> !lost.contains(lane))
              .mapToObj(lane -> new Lane(lane, epochs[lane]))
              .toList();
      lanes.renewed(
          lanes.asking(), new LaneView(EventKey.LANES, Set.of("node"), new LaneGrant(1, owned)));
    }

    void run() throws Exception {
      for (int i = 0; i < STEPS; i++) {
        something();
      }
      calm = true;
      open.forEach(this::commit);
      open.clear();
      lost.clear();
      renew();
      paused.set(List.of());
      down = List.of();
      feeder.haltEnded();
      for (int i = 0; i < 3_000 && isAnythingLeft(); i++) {
        something();
        clock.advance(Duration.ofMillis(10));
        renew();
        look();
        read();
      }
      assertThat(pending()).as("not delivered").isEmpty();
    }

    private List<String> pending() {
      return table.values().stream()
          .flatMap(rows -> rows.values().stream())
          .filter(row -> row.isPending() && !blocks.containsKey(row.key))
          .map(row -> row.id)
          .toList();
    }

    private boolean isAnythingLeft() {
      return !pending().isEmpty() || !taken.isEmpty() || !running.isEmpty() || !unwritten.isEmpty();
    }

    private void something() throws Exception {
      switch (random.nextInt(calm ? 3 : 13)) {
        case 0 -> {
          if (random.nextBoolean()) {
            takeOne();
          } else {
            startOne();
          }
        }
        case 1 -> endOne();
        case 2 -> writeSome();
        case 3, 4 -> write();
        case 5 -> clock.advance(Duration.ofMillis(random.nextInt(30)));
        case 6 -> changeLanes();
        case 7 -> changePauses();
        case 8 -> renewLate();
        case 9 -> changeDown();
        case 10 -> look();
        default -> read();
      }
    }

    private void read() throws InterruptedException {
      int room = queues.intake().awaitRoom(0);
      if (!reading && room > 0) {
        reading = true;
        feeder.step(room);
        reading = false;
      }
    }

    /** Of a key one at a time, as with a lock on a row, if its numbers are in order. */
    private void write() {
      if (!open.isEmpty() && random.nextBoolean()) {
        Transaction ends = open.remove(random.nextInt(open.size()));
        if (random.nextInt(8) == 0) {
          trace("%s rolled back", ends.rows.keySet());
          ends.rows.values().forEach(looks::ended);
        } else {
          commit(ends);
        }
        return;
      }
      if (quiet && isAnythingLeft() && random.nextInt(8) > 0) {
        return;
      }
      EventKey key = keys.get(random.nextInt(keys.size()));
      if (!lateKeys.contains(key) && open.stream().anyMatch(other -> other.key.equals(key))) {
        return;
      }
      Transaction begun = new Transaction(key);
      for (int i = random.nextInt(4) == 0 ? 2 : 1; i > 0; i--) {
        boolean isDelayed = random.nextInt(6) == 0;
        Row row = new Row(key, nextSeq++, clock.instant().plusMillis(isDelayed ? 20 : 0));
        row.isDelayed = isDelayed;
        row.ahead = isDelayed ? 0 : random.nextInt(30);
        begun.rows.put(row, look(row));
        trace("%s written, %s", row.id, key.name());
      }
      open.add(begun);
      if (random.nextBoolean()) {
        look();
      }
      if (random.nextInt(3) == 0 && open.remove(begun)) {
        commit(begun);
      }
    }

    private void look() {
      if (!looking) {
        looking = true;
        looks.step();
        looking = false;
      }
    }

    private Look look(Row row) {
      Optional<Lane> lane = lanes.open(row.key.lane());
      return row.isDelayed || lane.isEmpty() || random.nextInt(4) == 0
          ? looks.unseen(row.key)
          : looks.written(row.key, EventEnvelope.fromRow(row.read()), lane.get());
    }

    private void commit(Transaction ends) {
      ends.rows.keySet().forEach(row -> table.get(row.key).put(row.seq, row));
      trace("%s committed", ends.rows.keySet().stream().map(row -> row.id).toList());
      // Much may happen before the writer is told, if it is.
      boolean told = random.nextInt(4) > 0;
      if (told && !calm && random.nextInt(4) == 0) {
        meanwhile(new KeyPage(List.of(), 0, Optional.empty()));
      }
      ends.rows.forEach(told ? this::told : this::neverTold);
    }

    private void told(Row row, Look look) {
      EventKey key = row.key;
      boolean halted = paused.isPaused(new EventRoute(null, row.type()));
      if (!lanes.isOpen(key.lane()) || halted) {
        looks.ended(look);
      } else if (row.isDelayed) {
        wanted.committed(key, row.availableAt);
        looks.ended(look);
      } else {
        looks.committed(look);
      }
    }

    private void neverTold(Row row, Look look) {
      looks.ended(look); // as when its ticket expires
    }

    private void lanesLost(Set<Lane> gone) {
      if (gone.stream().filter(lanes::lost).count() > 0) {
        queues.keepOnly(lanes::isOpen);
        wanted.wake();
      }
    }

    /** Or not at all: then the lanes are closed until the next time. */
    private void renewLate() {
      if (random.nextInt(3) > 0) {
        renew();
        wanted.wake();
      }
    }

    /** Another node takes a lane over and delivers some of it, or it comes back. */
    private void changeLanes() {
      if (random.nextInt(5) > 0) {
        return;
      }
      int lane = keys.get(random.nextInt(keys.size())).lane();
      if (random.nextInt(4) == 0) {
        epochs[lane]++; // nobody says so: the next outcome is lost, and the lane with it
        return;
      }
      if (!lost.remove(lane)) {
        boolean comesBack = random.nextInt(3) == 0; // before anybody looks
        if (!comesBack) {
          lost.add(lane);
        }
        epochs[lane] += comesBack ? 2 : 1;
        for (EventKey key : keys) {
          for (Row row : table.get(key).values()) {
            if (key.lane() == lane && row.isPending() && !blocks.containsKey(key)) {
              if (row.availableAt.isAfter(clock.instant()) || random.nextInt(3) == 0) {
                break;
              }
              row.status = EventStatus.DONE;
            }
          }
        }
      } else {
        epochs[lane]++;
      }
      trace("lost: %s", lost);
      renew();
      queues.keepOnly(lanes::isOpen);
      wanted.wake();
    }

    private void changePauses() {
      if (random.nextInt(5) > 0) {
        return;
      }
      boolean pause = paused.routes().isEmpty();
      EventRoute route = random.nextInt(5) == 0 ? EventRoute.ANY : new EventRoute(null, "Paused");
      trace("paused: %s", pause ? route : "nothing");
      paused.set(pause ? List.of(route) : List.of());
    }

    /** A listener is down, is tried, or is there again. */
    private void changeDown() {
      if (random.nextInt(5) == 0) {
        boolean answers = !down.isEmpty() && random.nextBoolean();
        down = down.isEmpty() ? List.of(new EventRoute(null, "Down")) : List.of();
        trace("down: %s", down);
        if (answers) {
          feeder.haltEnded();
        }
      }
    }

    private void pausesChanged(boolean begun, boolean ended) {
      if (begun) {
        queues.putBack((KeyedDelivery delivery) -> paused.isPaused(delivery.envelope()));
      }
      if (ended) {
        feeder.haltEnded();
      }
    }

    private void trace(String format, Object... values) {
      if (TRACED) {
        System.out.printf(format + "%n", values);
      }
    }

    private void takeOne() {
      KeyedDelivery delivery = queues.poll();
      if (delivery != null) {
        taken.add(delivery);
      }
    }

    private void startOne() {
      if (taken.isEmpty()) {
        takeOne();
      }
      if (taken.isEmpty()) {
        return;
      }
      KeyedDelivery delivery = taken.remove(random.nextInt(taken.size()));
      delivery.start();
      boolean isPaused =
          paused.isPaused(delivery.envelope())
              || !down.isEmpty() && delivery.envelope().eventType().equals("Down");
      Optional<Lane> lane = isPaused ? Optional.empty() : lanes.enter(delivery.key().lane());
      if (lane.isEmpty() || !queues.mayStart(delivery, lane.get())) {
        lane.ifPresent(lanes::leave);
        held.release(delivery);
        queues.putBack(delivery, clock.instant().plusMillis(5));
        return;
      }
      delivery.entered(lane.get());
      fromMemory += delivery.seq() == 0 ? 1 : 0;
      trace("%s starts, %s in %s", delivery.eventId(), delivery.key().name(), lane.get());
      checkOrder(delivery);
      running.add(delivery);
      calls++;
    }

    private void checkOrder(KeyedDelivery delivery) {
      EventKey key = delivery.key();
      assertThat(running.stream().filter(other -> other.key().equals(key)))
          .as("two of a key at once")
          .isEmpty();
      assertThat(row(delivery.eventId()).isPending())
          .as("%s starts, and was done elsewhere", delivery.eventId())
          .isTrue();
      if (blocks.containsKey(key)) {
        assertThat(delivery.eventId()).as("a blocked key").isEqualTo(blocks.get(key));
      }
      if (lateKeys.contains(key)) {
        return;
      }
      for (Row row : table.get(key).headMap(row(delivery.eventId()).seq).values()) {
        boolean over = !row.isPending() || delivery.lane().equals(succeeded.get(row.id));
        assertThat(over).as("%s starts before %s", delivery.eventId(), row.id).isTrue();
      }
    }

    private void endOne() {
      if (running.isEmpty()) {
        return;
      }
      KeyedDelivery delivery = running.remove(random.nextInt(running.size()));
      int chance = random.nextInt(10);
      Outcome outcome;
      if (chance < (calm ? 10 : 7)) {
        succeeded.put(delivery.eventId(), delivery.lane());
        outcome = Outcome.done(delivery.ref(), delivery.attempts(), clock.instant());
      } else if (chance < 9) {
        Instant at = clock.instant().plusMillis(random.nextInt(25));
        outcome = Outcome.retry(delivery.ref(), delivery.attempts() + 1, at, "no");
      } else {
        outcome = Outcome.dead(delivery.ref(), delivery.attempts(), clock.instant(), "dead");
      }
      trace("%s ends, %s", delivery.eventId(), outcome.status());
      queues.answered(delivery);
      unwritten.add(new UnwrittenOutcome<>(delivery, outcome));
      queues.handedOver(delivery, outcome);
    }

    private void writeSome() throws Exception {
      List<UnwrittenOutcome<KeyedDelivery>> batch = new ArrayList<>();
      for (UnwrittenOutcome<KeyedDelivery> entry : unwritten) {
        if (random.nextInt(3) > 0) {
          batch.add(entry);
        }
      }
      if (batch.isEmpty()) {
        return;
      }
      if (batch.size() == 1 && random.nextInt(8) == 0 && refuse(batch.get(0))) {
        return;
      }
      transaction = new HashMap<>();
      blocksToAdd.clear();
      List<OutcomeResult> results;
      try {
        results = outcomes.write(null, batch);
      } catch (SQLTransactionRollbackException e) {
        return;
      }
      commitTransaction();
      for (int i = 0; i < batch.size(); i++) {
        UnwrittenOutcome<KeyedDelivery> entry = batch.get(i);
        KeyedDelivery delivery = entry.delivery;
        if (results.get(i) == OutcomeResult.LOCKED) {
          continue;
        }
        trace("%s is %s: %s", delivery.eventId(), entry.outcome.status(), results.get(i));
        unwritten.remove(entry);
        held.release(delivery);
        if (results.get(i) == OutcomeResult.LOST) {
          queues.abandoned(delivery, clock.instant().plusMillis(5));
        } else {
          queues.written(delivery, entry.outcome);
        }
        lanes.leave(delivery.lane());
      }
    }

    /** The database does not take it, however often it is tried. */
    private boolean refuse(UnwrittenOutcome<KeyedDelivery> entry) {
      KeyedDelivery delivery = entry.delivery;
      if (!queues.writable(List.of(delivery)).contains(delivery)) {
        return false;
      }
      trace("%s is %s: refused", delivery.eventId(), entry.outcome.status());
      unwritten.remove(entry);
      succeeded.remove(delivery.eventId());
      held.release(delivery);
      queues.abandoned(delivery, clock.instant().plusMillis(5));
      lanes.leave(delivery.lane());
      return true;
    }

    private void commitTransaction() {
      for (Map.Entry<String, Outcome> entry : transaction.entrySet()) {
        Row row = row(entry.getKey());
        Outcome outcome = entry.getValue();
        row.status = outcome.status();
        row.attempts = outcome.attempts();
        row.availableAt = outcome.at();
      }
      blocksToAdd.forEach(block -> blocks.putIfAbsent(block.key(), block.eventId()));
      blocksToAdd.clear();
      transaction = null;
      for (EventKey key : keys) {
        boolean pending = false;
        for (Row row : table.get(key).values()) {
          pending |= row.isPending();
          assertThat(lateKeys.contains(key) || !pending || row.status != EventStatus.DONE)
              .as("%s is DONE before an earlier one", row.id)
              .isTrue();
        }
      }
    }

    private Row row(String id) {
      return table.values().stream()
          .flatMap(rows -> rows.values().stream())
          .filter(row -> row.id.equals(id))
          .findAny()
          .orElseThrow();
    }

    /** What happens after the table was read and before the answer is here. */
    private KeyPage meanwhile(KeyPage page) {
      trace("read: %s", page.rows().stream().map(OutboxEvent::eventId).toList());
      try {
        for (int i = random.nextInt(6); i > 0; i--) {
          something();
        }
      } catch (Exception e) {
        throw new AssertionError(e);
      }
      trace("offered now");
      return page;
    }

    // ---- the store

    @Override
    public List<OutcomeResult> recordOutcomes(Connection conn, List<Outcome> all) {
      List<OutcomeResult> results = new ArrayList<>();
      for (Outcome outcome : all) {
        if (random.nextInt(12) == 0) {
          results.add(OutcomeResult.LOCKED);
        } else if (!row(outcome.eventId()).isPending()) {
          results.add(OutcomeResult.LOST);
        } else {
          transaction.put(outcome.eventId(), outcome);
          results.add(OutcomeResult.WRITTEN);
        }
      }
      return results;
    }

    @Override
    public Set<Lane> lock(Connection conn, String node, Collection<Lane> wanted) {
      Set<Lane> owned = new HashSet<>(wanted);
      owned.removeIf(lane -> lane.epoch() != epochs[lane.number()]);
      return owned;
    }

    private List<OutboxEvent> first(EventKey key, long after, KeyQuery query) {
      List<Row> rows =
          table.get(key).tailMap(after, false).values().stream()
              .filter(Row::isPending)
              .takeWhile(row -> !leavesPausedOut || !query.leavesOut(row.read()))
              .toList();
      if (rows.isEmpty()) {
        return List.of();
      }
      int limit = rows.get(0).availableAt.isAfter(query.now()) ? 1 : query.perKey();
      return rows.stream().limit(limit).map(Row::read).toList();
    }

    private KeyPage page(Map<EventKey, Long> wanted, KeyQuery query) {
      List<OutboxEvent> rows = new ArrayList<>();
      EventKey last = null;
      int visited = 0;
      for (Map.Entry<EventKey, Long> key : wanted.entrySet()) {
        if (rows.size() >= query.maxRows() || visited >= query.maxKeys()) {
          return new KeyPage(rows, visited, Optional.ofNullable(last));
        }
        List<OutboxEvent> found = first(key.getKey(), key.getValue(), query);
        if (!found.isEmpty()) {
          int room = query.maxRows() - rows.size();
          rows.addAll(found.subList(0, Math.min(found.size(), room)));
          last = key.getKey();
          visited++;
          if (found.size() > room) {
            return new KeyPage(rows, visited, Optional.of(last));
          }
        }
      }
      return new KeyPage(rows, visited, Optional.empty());
    }

    @Override
    public KeyPage scan(Connection conn, Set<Integer> numbers, EventKey after, KeyQuery query) {
      Comparator<EventKey> order =
          Comparator.comparing(EventKey::lane).thenComparing(EventKey::name);
      Map<EventKey, Long> wanted = new LinkedHashMap<>();
      keys.stream()
          .sorted(order)
          .filter(key -> numbers.contains(key.lane()))
          .filter(key -> after == null || order.compare(key, after) > 0)
          .forEach(key -> wanted.put(key, 0L));
      KeyPage page = page(wanted, query);
      return meanwhile(new KeyPage(page.rows(), page.keys() + manyThatWait, page.last()));
    }

    @Override
    public KeyPage read(Connection conn, Map<EventKey, Long> wanted, KeyQuery query) {
      return meanwhile(page(wanted, query));
    }

    @Override
    public Optional<Set<EventKey>> withOthers(Connection conn, Map<EventKey, String> eventIds) {
      Set<EventKey> found = new HashSet<>();
      eventIds.forEach(
          (key, id) -> {
            boolean others =
                table.get(key).values().stream()
                    .filter(Row::isPending)
                    .anyMatch(row -> !row.id.equals(id) || row.status != EventStatus.NEW);
            if (others) {
              found.add(key);
            }
          });
      trace("looked at %s: others of %s", eventIds.values(), found);
      meanwhile(new KeyPage(List.of(), 0, Optional.empty()));
      return Optional.of(found);
    }

    @Override
    public DuePage due(
        Connection conn,
        Set<Integer> numbers,
        PollCursor after,
        Instant until,
        List<EventRoute> without,
        int limit) {
      looksByTime++;
      int few = 1 + random.nextInt(3);
      List<Row> found =
          table.values().stream()
              .flatMap(rows -> rows.values().stream())
              .filter(row -> row.isPending() && !row.availableAt.isAfter(until))
              .filter(row -> without.stream().noneMatch(route -> route.matches(null, row.type())))
              .filter(row -> after == null || isBehind(row, after))
              .sorted(Comparator.comparing((Row row) -> row.availableAt).thenComparing(r -> r.seq))
              .limit(few)
              .toList();
      Row last = found.size() < few ? null : found.get(found.size() - 1);
      meanwhile(new KeyPage(List.of(), 0, Optional.empty()));
      return new DuePage(
          found.stream()
              .filter(row -> numbers.contains(row.key.lane()))
              .map(row -> new DueEvent(row.key, row.id, row.availableAt))
              .toList(),
          Optional.ofNullable(last).map(row -> PollCursor.behind(row.availableAt, row.seq)));
    }

    private static boolean isBehind(Row row, PollCursor after) {
      int time = row.availableAt.compareTo(after.dueAt());
      return time > 0 || (time == 0 && row.seq > after.dueSeq());
    }

    @Override
    public void block(Connection conn, Collection<KeyBlock> added) {
      blocksToAdd.addAll(added);
    }

    @Override
    public int unblock(Connection conn, Collection<EventKey> lifted) {
      throw new AssertionError("nothing was replayed");
    }

    @Override
    public List<KeyBlock> blocks(Connection conn, Collection<EventKey> wanted) {
      return wanted.stream()
          .filter(blocks::containsKey)
          .map(key -> new KeyBlock(key, blocks.get(key), Instant.EPOCH, null))
          .toList();
    }

    @Override
    public List<KeyBlock> blocks(Connection conn, Set<Integer> numbers, int limit) {
      return blocks(conn, keys);
    }

    @Override
    public void recordClaims(Connection conn, Collection<String> eventIds) {}

    @Override
    public Optional<Instant> currentTime(Connection conn) {
      return Optional.of(clock.instant());
    }

    // ---- not called here

    @Override
    public void check(Connection conn) {}

    @Override
    public LaneView beat(Connection conn, String node, Duration lease) {
      throw new UnsupportedOperationException();
    }

    @Override
    public LaneGrant take(Connection conn, String node, Duration lease, int max) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void release(Connection conn, String node, Collection<LaneReturn> returned) {}

    @Override
    public void leave(Connection conn, String node) {}

    @Override
    public void insertNew(Connection conn, EventEnvelope event) {
      throw new UnsupportedOperationException();
    }

    @Override
    public int markDone(Connection conn, String eventId) {
      throw new UnsupportedOperationException();
    }

    @Override
    public int markRetry(Connection conn, String eventId, Instant nextAt, String error) {
      throw new UnsupportedOperationException();
    }

    @Override
    public int markDead(Connection conn, String eventId, String error) {
      throw new UnsupportedOperationException();
    }

    @Override
    public List<OutboxEvent> pollPending(
        Connection conn, Instant now, Duration skipRecent, int limit) {
      throw new UnsupportedOperationException();
    }
  }
}
