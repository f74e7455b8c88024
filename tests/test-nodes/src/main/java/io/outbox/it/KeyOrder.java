package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.model.EventKey;
import io.outbox.spi.lanes.Lane;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Proves from the calls of listeners, on whatever nodes, that order by key held:
 *
 * <ul>
 *   <li>Nothing is lost: each committed event was delivered; nothing else was.
 *   <li>Of a key never two calls run at once, and none is begun by a former owner of its lane.
 *   <li>An event is called only when all that precede it are done. One precedes another of its key
 *       if it has the smaller {@code seq} and their writers took the same lock before they wrote,
 *       or it was written in the same transaction, or committed before the other's transaction
 *       began. Without the lock an event may be late: while its transaction was open another one,
 *       too, got a larger {@code seq}, and may have been seen and delivered first. A late event
 *       precedes nothing. It is found at the next look through all keys, and what was written until
 *       then may have passed it.
 *   <li>An event that was done is called again only by another owner of its lane, and only if the
 *       one before did not give the lane back but died or was too late. What follows it is then
 *       called again, too, before anything new: 1, 2, 1, 2, 3 is in order; 1, 2, 1, 3 is not, nor
 *       is 1, 2, 1.
 * </ul>
 *
 * <p>The exception is a node that was stopped for longer than its lease. Of each key the call that
 * ran in that moment may overlap with the calls of the next owner; what such a node begins
 * afterwards may not. A thread may have been stopped on its way into a listener, when it had found
 * the lease to be good: its next call counts as one that ran.
 *
 * <p>Times are {@link System#nanoTime()} of JVMs on one machine: on Linux all read the same clock
 * (CLOCK_MONOTONIC).
 */
public final class KeyOrder {

  private static final int SHOWN = 20;

  /**
   * An event that is in the table.
   *
   * @param begun when its transaction began, at the earliest
   * @param committed when its transaction was committed, at the latest
   * @param locked whether its writer had locked the key before it wrote
   * @param dead whether it was given up
   */
  public record Written(
      String key,
      long seq,
      String eventId,
      long begun,
      long committed,
      boolean locked,
      boolean dead) {

    private boolean isTogetherWith(Written other) {
      return begun == other.begun && committed == other.committed;
    }

    private boolean isSerialisedWith(Written other) {
      return locked && other.locked;
    }

    /** Whether the other one, though behind it, may have been seen before it. */
    boolean mayBePassedBy(Written other) {
      boolean ordered = isSerialisedWith(other) || isTogetherWith(other);
      return seq < other.seq && !ordered && other.begun < committed;
    }
  }

  /**
   * A call of a listener.
   *
   * @param epoch of the lane, as the node knew it: says which owner made the call
   * @param end when it returned, or its process was killed
   */
  public record Call(
      String node,
      String thread,
      long epoch,
      String eventId,
      long start,
      long end,
      boolean succeeded) {}

  /**
   * While a process was stopped: after the stop, which takes a moment to take effect, and before it
   * went on.
   */
  public record Pause(String node, long stopped, long resumed) {

    boolean cut(Call call) {
      return call.node.equals(node) && call.start < resumed && call.end >= resumed;
    }
  }

  public final List<String> violations = new ArrayList<>();
  private final Map<String, Written> events = new LinkedHashMap<>();
  private final List<Call> calls;
  private final Set<Call> excused = new HashSet<>();
  private final Set<Lane> givenBack;
  private final Set<Written> late = new HashSet<>();
  private int repeats;

  /**
   * @param givenBack the lanes that their owners gave back, with the epochs they had them under
   */
  public KeyOrder(
      Collection<Written> events,
      Collection<Call> calls,
      Collection<Pause> pauses,
      Collection<Lane> givenBack) {
    events.forEach(event -> this.events.put(event.eventId, event));
    this.calls = calls.stream().sorted(Comparator.comparingLong(Call::start)).toList();
    this.givenBack = Set.copyOf(givenBack);
    pauses.forEach(this::excuse);
    calls.stream()
        .filter(call -> !this.events.containsKey(call.eventId))
        .forEach(call -> violations.add("NEVER COMMITTED " + call));
    Map<String, List<Written>> byKey =
        this.events.values().stream().collect(Collectors.groupingBy(Written::key));
    Map<String, List<Call>> callsByKey =
        this.calls.stream()
            .filter(call -> this.events.containsKey(call.eventId))
            .collect(Collectors.groupingBy(call -> this.events.get(call.eventId).key));
    byKey.forEach((key, of) -> new OfKey(key, of, callsByKey.getOrDefault(key, List.of())).check());
  }

  private void excuse(Pause pause) {
    List<Call> cut = calls.stream().filter(pause::cut).toList();
    excused.addAll(cut);
    Set<String> threads = cut.stream().map(Call::thread).collect(Collectors.toSet());
    for (Call call : calls) {
      boolean after = call.node.equals(pause.node) && call.start >= pause.resumed;
      if (after && threads.add(call.thread)) {
        excused.add(call);
      }
    }
  }

  public void assertHolds() {
    assertThat(violations.isEmpty()).as(this::describe).isTrue();
  }

  private String describe() {
    return "%s, %d violations%s"
        .formatted(
            summary(),
            violations.size(),
            violations.stream()
                .limit(SHOWN)
                .map(each -> "\n  " + each)
                .collect(Collectors.joining()));
  }

  /** Calls of events that had been delivered. */
  public int repeats() {
    return repeats;
  }

  /** One line of figures. */
  public String summary() {
    long failed = calls.stream().filter(call -> !call.succeeded).count();
    return "%d events of %d keys (%d late), %d calls, %d not done, %d repeats"
        .formatted(
            events.size(),
            events.values().stream().map(Written::key).distinct().count(),
            late.size(),
            calls.size(),
            failed,
            repeats);
  }

  /** A call begins or ends. */
  private record Moment(long nanos, boolean start, Call call) {}

  private final class OfKey {
    private final String key;
    private final List<Written> written;
    private final List<Call> calls;
    private final Set<String> done = new HashSet<>();
    private final Map<String, Set<Long>> doneUnder = new HashMap<>();
    private final Map<String, Call> last = new HashMap<>();
    private long epoch;

    OfKey(String key, List<Written> written, List<Call> calls) {
      this.key = key;
      this.written = written;
      this.calls = calls;
      calls.forEach(call -> last.put(call.eventId, call));
      written.stream()
          .filter(event -> written.stream().anyMatch(event::mayBePassedBy))
          .forEach(late::add);
    }

    private boolean precedes(Written event, Written other) {
      return event.seq < other.seq
          && (event.isSerialisedWith(other)
              || !late.contains(event)
                  && (event.isTogetherWith(other) || event.committed <= other.begun));
    }

    void check() {
      Set<String> delivered =
          calls.stream().filter(Call::succeeded).map(Call::eventId).collect(Collectors.toSet());
      written.stream()
          .filter(event -> !event.dead && !delivered.contains(event.eventId))
          .forEach(event -> violations.add("LOST " + event));
      checkOneAtATime();
      List<Moment> moments = new ArrayList<>();
      for (Call call : calls) {
        moments.add(new Moment(call.start, true, call));
        moments.add(new Moment(call.end, false, call));
      }
      moments.stream()
          .sorted(Comparator.comparingLong(Moment::nanos).thenComparing(Moment::start))
          .forEach(this::on);
      written.stream()
          .filter(event -> delivered.contains(event.eventId) && !done.contains(event.eventId))
          .forEach(event -> violations.add("NOT REPEATED " + event));
    }

    private void checkOneAtATime() {
      Call before = null;
      for (Call call : calls) {
        if (excused.contains(call)) {
          continue;
        }
        if (before != null && call.start < before.end) {
          violation("TWO AT ONCE", call, "with " + before);
        }
        before = before == null || call.end > before.end ? call : before;
      }
    }

    private void on(Moment moment) {
      if (moment.start) {
        begun(moment.call);
      } else {
        ended(moment.call);
      }
    }

    private void begun(Call call) {
      if (call.epoch < epoch) {
        if (!excused.contains(call)) {
          violation("TOO LATE", call, "the lane's epoch is %d".formatted(epoch));
        }
        return;
      }
      epoch = call.epoch;
      boolean repeat = doneUnder.containsKey(call.eventId);
      if (repeat) {
        checkRepeat(call);
      }
      Written event = events.get(call.eventId);
      done.remove(call.eventId);
      for (Written other : written) {
        if (precedes(other, event) && !done.contains(other.eventId)) {
          violation("OUT OF ORDER", call, "waiting: " + other);
        } else if (repeat && precedes(event, other)) {
          done.remove(other.eventId);
        }
      }
    }

    private void checkRepeat(Call call) {
      repeats++;
      for (long owner : doneUnder.get(call.eventId)) {
        if (owner == call.epoch) {
          violation("REPEATED", call, "by the same owner");
        } else if (givenBack.contains(new Lane(EventKey.named(key).lane(), owner))) {
          violation("REPEATED", call, "though epoch %d was given back".formatted(owner));
        }
      }
    }

    private void ended(Call call) {
      boolean givenUp = events.get(call.eventId).dead && last.get(call.eventId) == call;
      if (call.succeeded || givenUp) {
        doneUnder.computeIfAbsent(call.eventId, id -> new HashSet<>()).add(call.epoch);
        if (call.epoch == epoch) {
          done.add(call.eventId);
        }
      }
    }

    private void violation(String what, Call call, String why) {
      violations.add(
          "%s %s of %s (%s), %s".formatted(what, call, key, events.get(call.eventId).seq, why));
    }
  }
}
