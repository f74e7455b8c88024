package io.outbox.internal.lanes;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.spi.lanes.Lane;
import io.outbox.spi.lanes.LaneGrant;
import io.outbox.spi.lanes.LaneReturn;
import io.outbox.spi.lanes.LaneView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * R5, R18, R21, R23: nodes that join, crash, pause and leave, or give up what they hold, over a
 * network that is slow, loses answers and is cut for a while, on a clock of its own. Sessions of
 * nodes that vanished keep their lanes locked until the server ends them, and the clock of the
 * database is set forward and back.
 *
 * <p>To see one schedule again: {@code -Doutbox.lanes.seed=N}. The profile {@code soak} runs a
 * million.
 */
class LaneSimulationTest {

  private static final int SCHEDULES = Integer.getInteger("outbox.lanes.schedules", 3_000);
  private static final int LANES = 6;
  private static final long LEASE = millis(1_000);
  private static final long MARGIN = millis(50);
  private static final long HANDOVER = millis(300);
  private static final long BEAT = millis(250);

  /** When the server ends a session that its node has left in a transaction. */
  private static final long SESSION = LEASE;

  /** How far the clock of the database is set at most. */
  private static final long CLOCK_STEP = millis(1_500);

  /** How often a node looks whether what it runs may go on. */
  private static final long LOOK = millis(40);

  private static final long CHAOS = millis(6_000);

  /** A dead node's leases end, then a beat takes them, and handovers even out what is left. */
  private static final long CALM = 5 * LEASE + SESSION + 2 * CLOCK_STEP + 4 * HANDOVER + 8 * BEAT;

  private static long millis(long value) {
    return TimeUnit.MILLISECONDS.toNanos(value);
  }

  @Test
  void noTwoNodesDeliverFromALaneAndEveryLaneIsOwnedAgain() {
    run(SCHEDULES);
  }

  @Test
  @Tag("soak")
  void soak() {
    run(Integer.getInteger("outbox.lanes.schedules", 1_000_000));
  }

  private void run(int schedules) {
    Long only = Long.getLong("outbox.lanes.seed");
    long first = only != null ? only : Long.getLong("outbox.lanes.first", 1);
    long deliveries = 0;
    long handovers = 0;
    long outcomes = 0;
    long fenced = 0;
    long leftBehind = 0;
    long start = System.nanoTime();
    for (long seed = first; seed < first + (only != null ? 1 : schedules); seed++) {
      Schedule schedule = new Schedule(seed);
      try {
        schedule.run();
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("to see it again: -Doutbox.lanes.seed=" + seed, e);
      }
      deliveries += schedule.deliveries;
      handovers += schedule.table.handovers;
      outcomes += schedule.table.outcomes;
      fenced += schedule.table.fenced;
      leftBehind += schedule.table.leftBehind;
    }
    System.out.printf(
        "lanes: %,d seeds from %d, %,d deliveries, %,d lanes changed hands, %,d outcomes written,"
            + " %,d refused, %,d sessions left behind, %,.1f s%n",
        only != null ? 1 : schedules,
        first,
        deliveries,
        handovers,
        outcomes,
        fenced,
        leftBehind,
        (System.nanoTime() - start) / 1e9);
    if (only == null) {
      assertThat(List.of(deliveries, handovers, outcomes, fenced, leftBehind))
          .allSatisfy(count -> assertThat(count).isPositive());
    }
  }

  /** What the database would do, by its own clock. */
  private static final class Table {
    private final Map<String, Long> beats = new TreeMap<>();
    private final String[] owner = new String[LANES];
    private final long[] epoch = new long[LANES];
    private final long[] until = new long[LANES];

    /** How many sessions share-lock a lane, which keeps others from taking it. */
    private final int[] locks = new int[LANES];

    /** How many events of a lane are done: the number of the next one. */
    private final long[] done = new long[LANES];

    private int handovers;
    private int outcomes;
    private int fenced;
    private int leftBehind;

    LaneView beat(String node, long now) {
      beats.put(node, now);
      beats.values().removeIf(at -> at <= now - LEASE);
      List<Lane> owned = new ArrayList<>();
      for (int i = 0; i < LANES; i++) {
        if (node.equals(owner[i])) {
          until[i] = now + LEASE;
          owned.add(new Lane(i, epoch[i]));
        }
      }
      return new LaneView(LANES, Set.copyOf(beats.keySet()), new LaneGrant(now + LEASE, owned));
    }

    LaneGrant take(String node, int count, long now) {
      List<Lane> taken = new ArrayList<>();
      for (int i = 0; i < LANES && taken.size() < count; i++) {
        if (locks[i] == 0 && (owner[i] == null || until[i] <= now)) {
          owner[i] = node;
          until[i] = now + LEASE;
          taken.add(new Lane(i, ++epoch[i]));
          handovers++;
        }
      }
      return new LaneGrant(now + LEASE, taken);
    }

    void release(String node, List<LaneReturn> lanes) {
      for (LaneReturn back : lanes) {
        int i = back.lane().number();
        if (node.equals(owner[i]) && epoch[i] == back.lane().epoch() && until[i] == back.stamp()) {
          owner[i] = null;
        }
      }
    }

    void leave(String node) {
      beats.remove(node);
    }

    /** Share-locks a lane for an outcome, if it is still that node's. */
    boolean lock(String node, Lane lane) {
      int i = lane.number();
      if (!node.equals(owner[i]) || epoch[i] != lane.epoch()) {
        fenced++;
        return false;
      }
      locks[i]++;
      return true;
    }

    void unlock(Lane lane) {
      locks[lane.number()]--;
    }

    /** Nobody else can have done it, or be doing it now: that is what locks and epochs are for. */
    void commit(Running running) {
      int i = running.lane.number();
      assertThat(epoch[i])
          .as("the lane was taken over under its lock")
          .isEqualTo(running.lane.epoch());
      assertThat(done[i]).as("an event is done twice").isEqualTo(running.event);
      done[i]++;
      outcomes++;
    }
  }

  private static final class Running {
    private final Node node;
    private final Lane lane;
    private final long event;

    Running(Node node, Lane lane, long event) {
      this.node = node;
      this.lane = lane;
      this.event = event;
    }
  }

  private final class Node {
    private final String name;
    private final OwnedLanes lanes;
    private final List<Running> running = new ArrayList<>();
    private boolean alive = true;
    private boolean leaving;
    private long pausedUntil;
    private long cutUntil;

    Node(String name, Schedule schedule) {
      this.name = name;
      this.lanes =
          new OwnedLanes(
              name,
              () -> schedule.now,
              Duration.ofNanos(LEASE),
              Duration.ofNanos(MARGIN),
              Duration.ofNanos(HANDOVER));
    }
  }

  private record Step(long at, long number, Node node, Runnable work) {}

  private final class Schedule {
    private final Random random;
    private final Table table = new Table();
    private final PriorityQueue<Step> steps =
        new PriorityQueue<>(Comparator.comparingLong(Step::at).thenComparingLong(Step::number));
    private final List<Node> nodes = new ArrayList<>();
    private final Map<Integer, Running> delivering = new HashMap<>();
    private long now;
    private long databaseAhead;
    private long overlapsUntil;
    private long stepNumber;
    private int names;
    private int deliveries;
    private boolean calm;

    Schedule(long seed) {
      random = new Random(seed);
    }

    void run() {
      for (int i = 0; i < 1 + random.nextInt(4); i++) {
        join();
      }
      for (int i = 0; i < 6; i++) {
        at(random.nextLong(CHAOS), null, this::somethingHappens);
      }
      at(CHAOS, null, this::calmDown);
      while (!steps.isEmpty() && steps.peek().at() <= CHAOS + CALM) {
        Step step = steps.poll();
        now = step.at();
        Node node = step.node();
        if (node == null) {
          step.work().run();
        } else if (node.alive && node.pausedUntil > now) {
          at(node.pausedUntil, node, step.work());
        } else if (node.alive) {
          step.work().run();
        }
      }
      everyLaneIsOwned();
    }

    private void at(long time, Node node, Runnable work) {
      steps.add(new Step(time, stepNumber++, node, work));
    }

    private void join() {
      Node node = new Node("n" + names++, this);
      nodes.add(node);
      at(now, node, () -> beat(node));
      at(now, node, () -> deliver(node));
    }

    private void somethingHappens() {
      List<Node> living = nodes.stream().filter(node -> node.alive).toList();
      if (living.isEmpty() || random.nextInt(3) == 0) {
        join();
        return;
      }
      Node node = living.get(random.nextInt(living.size()));
      switch (random.nextInt(9)) {
        case 0, 1 -> crash(node);
        case 2 -> node.leaving = true;
        case 3 -> node.cutUntil = now + random.nextLong(3 * LEASE);
        case 4 -> setDatabaseClock();
        case 5 -> node.lanes.stop();
        default -> pause(node, random.nextLong(2 * LEASE));
      }
    }

    /**
     * Set forward, it ends leases early: then two nodes may call listeners at once, until the older
     * lease ends here, too. Their outcomes are told apart even so.
     */
    private void setDatabaseClock() {
      long before = databaseAhead;
      databaseAhead = random.nextLong(2 * CLOCK_STEP) - CLOCK_STEP;
      if (databaseAhead > before) {
        overlapsUntil = now + LEASE;
      }
    }

    private long databaseTime() {
      return now + databaseAhead;
    }

    private void calmDown() {
      calm = true;
      nodes.forEach(node -> node.cutUntil = 0);
      if (nodes.stream().noneMatch(node -> node.alive && !node.leaving)) {
        join();
      }
    }

    private void crash(Node node) {
      node.alive = false;
      List.copyOf(node.running).forEach(this::end);
    }

    /** What it runs stands still, too: whoever takes over must not be blamed for it. */
    private void pause(Node node, long nanos) {
      node.pausedUntil = Math.max(node.pausedUntil, now + nanos);
      node.running.forEach(running -> delivering.remove(running.lane.number(), running));
    }

    // ---- the protocol, one request after the other

    private long delay() {
      boolean slow = !calm && random.nextInt(20) == 0;
      return slow ? random.nextLong(2 * LEASE) : random.nextLong(millis(20));
    }

    /**
     * Asks the database. Either the answer comes, or an error after a time: then the request was
     * lost, or comes true at some later time.
     */
    private <T> void ask(
        Node node,
        java.util.function.Supplier<T> request,
        java.util.function.Consumer<T> answered,
        Runnable failed) {
      long there = delay();
      if (!calm && (now < node.cutUntil || random.nextInt(15) == 0)) {
        if (random.nextBoolean()) {
          at(now + random.nextLong(2 * LEASE), null, request::get);
        }
        at(now + there, node, failed);
        return;
      }
      at(
          now + there,
          null,
          () -> {
            T answer = request.get();
            at(now + delay(), node, () -> answered.accept(answer));
          });
    }

    private void beat(Node node) {
      if (node.leaving) {
        goAway(node);
        return;
      }
      long asked = node.lanes.asking();
      ask(
          node,
          () -> table.beat(node.name, databaseTime()),
          view -> renewed(node, node.lanes.renewed(asked, view)),
          () -> beatLater(node));
    }

    private void beatLater(Node node) {
      at(now + BEAT, node, () -> beat(node));
    }

    private void renewed(Node node, OwnedLanes.Plan plan) {
      if (!plan.release().isEmpty()) {
        ask(
            node,
            () -> released(node, plan.release()),
            ok -> beatLater(node),
            () -> beatLater(node));
      } else if (plan.take() > 0) {
        long asked = node.lanes.asking();
        ask(
            node,
            () -> table.take(node.name, plan.take(), databaseTime()),
            grant -> {
              node.lanes.taken(asked, grant);
              beatLater(node);
            },
            () -> beatLater(node));
      } else {
        beatLater(node);
      }
    }

    private boolean released(Node node, List<LaneReturn> lanes) {
      table.release(node.name, lanes);
      return true;
    }

    private void goAway(Node node) {
      List<LaneReturn> idle = node.lanes.leaveAll();
      Runnable next =
          () -> {
            if (node.lanes.size() == 0) {
              table.leave(node.name);
              node.alive = false;
            } else {
              at(now + LOOK, node, () -> goAway(node));
            }
          };
      ask(node, () -> released(node, idle), ok -> next.run(), next);
    }

    // ---- deliveries

    private void deliver(Node node) {
      List<Integer> open =
          node.lanes.open().stream().map(Lane::number).sorted().collect(Collectors.toList());
      if (!open.isEmpty()) {
        start(node, open.get(random.nextInt(open.size())));
      }
      at(now + random.nextLong(millis(calm ? 1_000 : 150)), node, () -> deliver(node));
    }

    private void start(Node node, int number) {
      if (node.running.stream().anyMatch(running -> running.lane.number() == number)) {
        return;
      }
      Optional<Lane> lane = node.lanes.enter(number);
      if (lane.isEmpty()) {
        return;
      }
      Running running = new Running(node, lane.get(), table.done[number]);
      Running other = delivering.put(number, running);
      assertThat(other == null || now < overlapsUntil)
          .withFailMessage(
              () -> "%s and %s deliver from lane %d".formatted(other.node.name, node.name, number))
          .isTrue();
      node.running.add(running);
      deliveries++;
      boolean slow = !calm && random.nextInt(10) == 0;
      long duration = random.nextLong(slow ? 2 * LEASE : millis(30));
      look(running, now + duration);
    }

    /** Stops what may not go on. */
    private void look(Running running, long end) {
      Node node = running.node;
      if (!node.lanes.isHeld(running.lane)) {
        end(running);
      } else if (now >= end) {
        write(running);
      } else {
        at(Math.min(end, now + LOOK), node, () -> look(running, end));
      }
    }

    /**
     * Locks the lane, and commits a little later. A node that vanishes in between leaves a session
     * that holds its lock until the server ends it, and with it what it had written.
     */
    private void write(Running running) {
      Node node = running.node;
      delivering.remove(running.lane.number(), running); // its listener has returned
      if (!table.lock(node.name, running.lane)) {
        node.lanes.lost(running.lane);
        end(running);
        return;
      }
      long expires = now + SESSION;
      boolean[] ended = {false};
      Runnable endOfSession =
          () -> {
            if (!ended[0]) {
              ended[0] = true;
              table.unlock(running.lane);
              table.leftBehind++;
            }
          };
      at(expires, null, endOfSession);
      at(
          now + delay(),
          node,
          () -> {
            if (!ended[0] && now >= node.cutUntil) {
              ended[0] = true;
              table.commit(running);
              table.unlock(running.lane);
            }
            end(running);
          });
    }

    private void end(Running running) {
      delivering.remove(running.lane.number(), running);
      running.node.running.remove(running);
      running.node.lanes.leave(running.lane);
    }

    private void everyLaneIsOwned() {
      List<Node> living = nodes.stream().filter(node -> node.alive && !node.leaving).toList();
      Map<Integer, Long> owners =
          living.stream()
              .flatMap(node -> node.lanes.open().stream().map(Lane::number))
              .collect(Collectors.groupingBy(lane -> lane, Collectors.counting()));
      assertThat(owners).hasSize(LANES);
      assertThat(owners.values()).containsOnly(1L);
      for (Node node : living) {
        assertThat(node.lanes.size())
            .isBetween(LANES / living.size(), (LANES + living.size() - 1) / living.size());
      }
    }
  }
}
