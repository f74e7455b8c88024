package io.outbox.internal.keyed;

import io.outbox.EventEnvelope;
import io.outbox.internal.RepeatedWarning;
import io.outbox.internal.member.HaltedRoutes;
import io.outbox.internal.queue.Delivery;
import io.outbox.internal.queue.HeldEvents;
import io.outbox.internal.time.EngineClock;
import io.outbox.model.EventKey;
import io.outbox.model.EventRoute;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.lanes.DueEvent;
import io.outbox.spi.lanes.KeyPage;
import io.outbox.spi.lanes.Lane;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Hands rows of owned lanes over to {@link KeyIntake}. For the thread of {@link KeyFeeder}. */
public final class KeyHandover {

  private static final int NO_ROOM = -1;
  private static final int MAX_CLAIMS = 100_000;
  private static final Duration UNREADABLE_AGAIN = Duration.ofSeconds(5);

  /**
   * What became of a page.
   *
   * @param page what was read
   * @param accepted how many events were newly taken
   * @param full whether there was no room for some
   * @param last the last key before those; null if there is none
   * @param trusted false if some have to be read again
   */
  record Offered(KeyPage page, int accepted, boolean full, EventKey last, boolean trusted) {}

  private final LaneReader reader;
  private final StoredBlocks blocks;
  private final EngineClock clock;
  private final HeldEvents held;
  private final KeyIntake intake;
  private final WantedKeys wanted;
  private final HaltedRoutes halted;
  private final RepeatedWarning warning = new RepeatedWarning(KeyHandover.class, Level.WARNING);
  private Map<Integer, Lane> terms = Map.of(); // of the lanes that are open
  private final Set<Lane> suspicious =
      new HashSet<>(); // taken from a dead node, not looked through
  private final Set<String> counted = new HashSet<>(); // events of those, each once

  public KeyHandover(
      LaneReader reader,
      StoredBlocks blocks,
      EngineClock clock,
      HeldEvents held,
      KeyIntake intake,
      WantedKeys wanted,
      HaltedRoutes halted) {
    this.reader = reader;
    this.blocks = blocks;
    this.clock = clock;
    this.held = held;
    this.intake = intake;
    this.wanted = wanted;
    this.halted = halted;
  }

  /** Other lanes are open than before. */
  void lanesAre(Set<Lane> open, Predicate<Lane> wasAbandoned) {
    open.stream()
        .filter(lane -> !lane.equals(terms.get(lane.number())) && wasAbandoned.test(lane))
        .forEach(suspicious::add);
    suspicious.retainAll(open);
    terms = open.stream().collect(Collectors.toMap(Lane::number, lane -> lane));
  }

  /** The numbers of the lanes that are open. */
  Set<Integer> lanes() {
    return terms.keySet();
  }

  /** Looks whether keys of the open lanes are blocked at all. */
  void lookForBlocks() {
    blocks.look(lanes());
  }

  /** All keys of the open lanes were seen. */
  void lookedThrough() {
    suspicious.clear();
    counted.clear();
  }

  /** Whether lanes of a dead node have not been looked through. */
  boolean isSuspicious() {
    return !suspicious.isEmpty();
  }

  /** Whether more keys can be wanted, and others that are wanted later do not wait for long. */
  boolean wantsFew() {
    return wanted.areFew();
  }

  /**
   * What became of keys with due events.
   *
   * @param news how many will be read of which nobody knew
   * @param again how many will be read that were to wait for a time
   */
  record Wanted(int news, int again) {}

  /**
   * Wants keys read that may start.
   *
   * @param maxAgain how many of those that wait for a time
   */
  Wanted want(List<DueEvent> due, int maxAgain) {
    Map<EventKey, Set<String>> keys = new LinkedHashMap<>();
    due.stream()
        .filter(event -> !held.contains(event.eventId()))
        .forEach(
            event ->
                keys.computeIfAbsent(event.key(), key -> new HashSet<>()).add(event.eventId()));
    blocks
        .of(keys.keySet())
        .forEach(
            (key, blocker) ->
                keys.computeIfPresent(key, (k, ids) -> ids.contains(blocker) ? ids : null));
    int news = 0;
    int again = 0;
    for (EventKey key : keys.keySet()) {
      if (!wanted.isParked(key)) {
        news += intake.isDue(key) ? 1 : 0;
      } else if (again < maxAgain) { // its first event may be gone, or later than this one
        wanted.readAnyway(key);
        again++;
      }
    }
    return new Wanted(news, again);
  }

  /**
   * Reads a page and offers what is on it.
   *
   * @param from where the page begins; null at the beginning
   * @param asked what was asked for, and behind which number
   * @param perKey how many rows of one key were asked for
   */
  Offered offer(Supplier<KeyPage> read, EventKey from, Map<EventKey, Long> asked, int perKey) {
    KeyPage page;
    EventKey last = from;
    boolean full = false;
    boolean trusted = false;
    int accepted = 0;
    held.pollStarted();
    try {
      page = read.get();
      List<EventRoute> down = halted.down();
      Map<EventKey, List<OutboxEvent>> byKey = byKey(page.rows());
      Map<EventKey, String> blockers = blocks.of(byKey.keySet());
      countClaims(byKey, down);
      for (Map.Entry<EventKey, List<OutboxEvent>> rows : byKey.entrySet()) {
        EventKey key = rows.getKey();
        int taken =
            full ? NO_ROOM : offer(page, key, rows.getValue(), blockers.get(key), down, perKey);
        full = taken == NO_ROOM;
        if (!full) {
          accepted += taken;
          last = key;
        } else if (asked.containsKey(key)) {
          intake.wasNotRead(key, asked.get(key));
        }
      }
      page.overtaken().stream()
          .filter(key -> !byKey.containsKey(key))
          .forEach(key -> intake.wasNotRead(key, asked.getOrDefault(key, 0L)));
    } finally {
      trusted = held.pollFinished();
    }
    return new Offered(page, accepted, full, last, trusted);
  }

  private static Map<EventKey, List<OutboxEvent>> byKey(List<OutboxEvent> rows) {
    Map<EventKey, List<OutboxEvent>> byKey = new LinkedHashMap<>();
    rows.forEach(row -> byKey.computeIfAbsent(row.key(), key -> new ArrayList<>()).add(row));
    return byKey;
  }

  /** Offers what was read of a key; returns how many were accepted, or {@link #NO_ROOM}. */
  private int offer(
      KeyPage page,
      EventKey key,
      List<OutboxEvent> read,
      String blocker,
      List<EventRoute> down,
      int perKey) {
    List<OutboxEvent> rows = untilHalted(read, down);
    boolean isHalted = rows.size() < read.size();
    boolean cut =
        key.equals(page.last().orElse(null))
            || rows.size() >= perKey
            || page.overtaken().contains(key);
    int taken = offerInTurn(key, unlessBlocked(rows, blocker, cut && !isHalted), blocker);
    // It came alone because it was not due, and is by now: there may be others behind it.
    boolean alone = taken > 0 && read.get(0).availableAt().isAfter(reader.askedAt());
    // Of a blocked key the others are read when the block is lifted.
    boolean more = blocker == null && (cut || alone) && !isHalted;
    intake.wasRead(key, taken == NO_ROOM || more, perKey);
    return taken;
  }

  /** An event that is halted holds its key. When that ends, all keys are looked through. */
  private List<OutboxEvent> untilHalted(List<OutboxEvent> rows, List<EventRoute> down) {
    int free = 0;
    while (free < rows.size() && !halted.isHalted(rows.get(free), down)) {
      free++;
    }
    return rows.subList(0, free);
  }

  /**
   * Of a blocked key only the event that blocks it may go, also if others wait before it.
   *
   * @param cut whether it may be behind these rows
   */
  private List<OutboxEvent> unlessBlocked(List<OutboxEvent> rows, String blocker, boolean cut) {
    if (blocker == null) {
      return rows;
    }
    List<OutboxEvent> itself = rows.stream().filter(row -> row.eventId().equals(blocker)).toList();
    return itself.isEmpty() && cut ? pending(blocker) : itself;
  }

  private List<OutboxEvent> pending(String eventId) {
    return reader
        .find(eventId)
        .filter(row -> row.status().isPending() && !halted.isHalted(row, halted.down()))
        .stream()
        .toList();
  }

  /**
   * The first event of a key may be what its node died of. If that happens again and again it is
   * delivered alone; see {@code Deliverer}.
   */
  private void countClaims(Map<EventKey, List<OutboxEvent>> byKey, List<EventRoute> down) {
    if (suspicious.isEmpty()) {
      return;
    }
    List<String> first =
        byKey.entrySet().stream()
            .filter(key -> isSuspicious(key.getKey()))
            .map(key -> key.getValue().get(0))
            .filter(row -> !halted.isHalted(row, down))
            .map(OutboxEvent::eventId)
            .filter(id -> counted.size() < MAX_CLAIMS && counted.add(id))
            .toList();
    if (!first.isEmpty()) {
      reader.recordClaims(first);
    }
  }

  private boolean isSuspicious(EventKey key) {
    return suspicious.stream().anyMatch(lane -> lane.number() == key.lane());
  }

  /** Returns how many were accepted, or {@link #NO_ROOM}. */
  private int offerInTurn(EventKey key, List<OutboxEvent> rows, String blocker) {
    int accepted = 0;
    for (OutboxEvent row : rows) {
      if (row == rows.get(0)
          && row.availableAt().isAfter(clock.now())
          && intake.parkIfIdle(key, row.availableAt())) {
        return accepted;
      }
      KeyedDelivery delivery = decode(row, key);
      if (delivery == null) {
        wanted.readAt(key, clock.now().plus(UNREADABLE_AGAIN));
        return accepted;
      }
      if (isSuspicious(key)) {
        delivery.settleFirst();
      }
      if (!held.holdPolled(delivery)) {
        continue; // it is in our hands, or has ended
      }
      switch (intake.offer(delivery, blocker)) {
        case ACCEPTED -> accepted++;
        case REFUSED -> {
          held.release(delivery);
          return accepted;
        }
        case FULL -> {
          held.release(delivery);
          return NO_ROOM;
        }
      }
    }
    return accepted;
  }

  /** Null if it cannot be read here: not the event's fault. */
  private KeyedDelivery decode(OutboxEvent row, EventKey key) {
    Lane term = terms.get(key.lane()); // not what is owned now: the row may be older
    try {
      return new KeyedDelivery(row, key, term, EventEnvelope.fromRow(row), null);
    } catch (IllegalStateException | LinkageError e) {
      warning.log(() -> "event " + row.eventId() + " waits: its headers cannot be read here", e);
      return null;
    } catch (RuntimeException | StackOverflowError e) {
      return new KeyedDelivery(row, key, term, Delivery.stub(row), e);
    } catch (Error e) {
      warning.log(() -> "event " + row.eventId() + " waits: reading it failed", e);
      return null;
    }
  }
}
