package io.outbox.internal.hot;

import io.outbox.EventEnvelope;
import io.outbox.internal.BatchHook;
import io.outbox.internal.lease.Leases;
import io.outbox.internal.queue.Delivery;
import io.outbox.internal.queue.DeliveryQueues;
import io.outbox.internal.queue.HeldEvents;
import io.outbox.model.EventStatus;
import io.outbox.model.Lease;
import io.outbox.spi.NewEvent;
import io.outbox.spi.Outcome;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Takes events to the hot queue before their rows are written, and keeps what becomes of them until
 * they are. Workers tell how deliveries end, one other thread writes the rows. Thread-safe.
 */
final class AheadOfRows implements BatchHook.Ahead, Delivery.Unwritten {

  /** What a row says, or will say. */
  private enum Row {
    FINISHED,
    LEASED,
    /** Nobody here delivers it. */
    FREE
  }

  private static final class Entry {
    final Delivery delivery;
    final Lease lease; // null: no leases are used
    boolean ended;
    Outcome outcome; // null: none so far, or it was let go without one
    Row row;
    Instant lockedAt;
    boolean mayBePending; // a try to write it so got no answer, perhaps
    boolean written;

    Entry(Delivery delivery, Lease lease) {
      this.delivery = delivery;
      this.lease = lease;
    }

    Row now() {
      if (!ended) {
        return Row.LEASED;
      }
      if (outcome == null) {
        return Row.FREE;
      }
      return outcome.status() == EventStatus.DONE ? Row.FINISHED : Row.LEASED;
    }
  }

  private final Delivery original;
  private final DeliveryQueues queues;
  private final HeldEvents held;
  private final Leases leases;
  private final HotPath.Halts halts;
  private final HotPath.Ends ends;
  private final Map<String, Entry> entries = new LinkedHashMap<>();
  private int running;
  private Runnable whenEnded; // null: not asked for yet, or told

  AheadOfRows(
      Delivery original,
      DeliveryQueues queues,
      HeldEvents held,
      Leases leases,
      HotPath.Halts halts,
      HotPath.Ends ends) {
    this.original = original;
    this.queues = queues;
    this.held = held;
    this.leases = leases;
    this.halts = halts;
    this.ends = ends;
  }

  @Override
  public boolean isFirst() {
    return original.isFirstDelivery();
  }

  @Override
  public boolean offer(EventEnvelope event) {
    Lease lease = leases.born();
    if (lease == null && leases.areUsed() || halts.isUnwanted(event)) {
      return false;
    }
    // Until it has a row it is ours as long as the original is.
    Delivery delivery = Delivery.ofUnwritten(event, lease, original.lockedAt(), this);
    if (!queues.reserveHot(delivery.bytes())) {
      return false;
    }
    if (!held.hold(delivery)) {
      queues.cancelReservation(delivery.bytes());
      return false;
    }
    add(new Entry(delivery, lease)); // first: a worker may end it at once
    if (queues.offerReserved(delivery)) {
      ends.queued();
      return true;
    }
    remove(event);
    held.release(delivery);
    return false;
  }

  private synchronized void add(Entry entry) {
    entries.put(entry.delivery.eventId(), entry);
    running++;
  }

  private synchronized Entry remove(EventEnvelope event) {
    Entry entry = entries.remove(event.eventId());
    if (entry != null && !entry.ended) {
      running--;
    }
    return entry;
  }

  @Override
  public void whenEnded(Runnable told) {
    synchronized (this) {
      if (running > 0) {
        whenEnded = told;
        return;
      }
    }
    told.run();
  }

  @Override
  public boolean ended(Delivery delivery, Outcome outcome) {
    Runnable last = null;
    Entry entry;
    synchronized (this) {
      entry = entries.get(delivery.eventId());
      if (entry != null && entry.written) {
        return false;
      }
      if (entry != null) {
        entry.ended = true;
        entry.outcome = outcome;
      }
      if (entry != null && --running == 0) {
        last = whenEnded;
        whenEnded = null;
      }
    }
    if (entry == null) {
      endedAfterRefusal(delivery);
    } else if (last != null) {
      last.run();
    }
    return true;
  }

  /** By now another expansion may have written its row, leased to this delivery. */
  private void endedAfterRefusal(Delivery delivery) {
    ends.giveBack(delivery.ref()); // first: another delivery under the same lease would lose it
    held.release(delivery);
  }

  @Override
  public synchronized BatchHook.Rows rows(Set<String> there, boolean ours) {
    List<EventEnvelope> finished = new ArrayList<>();
    List<NewEvent> pending = new ArrayList<>();
    Instant doneAt = Instant.MIN;
    Lease fresh = leases.born();
    for (Entry entry : entries.values()) {
      EventEnvelope event = entry.delivery.envelope();
      if (there.contains(event.eventId())) {
        // If it is not ours, or an earlier try came through, its outcome will show.
        boolean itself = ours && entry.row == Row.FINISHED && !entry.mayBePending;
        entry.row = itself ? Row.FINISHED : Row.LEASED;
        continue;
      }
      Lease lease = fresh == null ? entry.lease : fresh;
      entry.row = entry.now();
      entry.lockedAt = lease == null ? null : lease.lockedAt();
      if (entry.row != Row.FINISHED) {
        entry.mayBePending = true;
        pending.add(new NewEvent(event, entry.row == Row.LEASED ? lease : null));
      } else if (!entry.outcome.deletesRow()) {
        finished.add(event);
        doneAt = entry.outcome.at().isAfter(doneAt) ? entry.outcome.at() : doneAt;
      }
    }
    return new BatchHook.Rows(finished, doneAt, pending);
  }

  @Override
  public void written() {
    List<Entry> all;
    synchronized (this) {
      all = List.copyOf(entries.values());
      for (Entry entry : all) {
        entry.written = true;
        entry.delivery.written(entry.row == Row.LEASED ? entry.lockedAt : null);
      }
    }
    ends.databaseAnswered();
    if (all.stream().anyMatch(entry -> entry.row == Row.FREE)) {
      ends.left();
    }
    for (Entry entry : all) {
      if (entry.row == Row.FINISHED) {
        ends.settled(entry.delivery, entry.outcome);
      } else if (entry.row == Row.LEASED && entry.ended) {
        endedMeanwhile(entry);
      }
    }
    held.signalProgress();
  }

  private void endedMeanwhile(Entry entry) {
    if (entry.outcome == null) {
      ends.giveBack(entry.delivery.ref());
    } else {
      ends.finished(entry.delivery, entry.outcome);
    }
  }

  @Override
  public void refused(EventEnvelope event) {
    Entry entry = remove(event);
    // A listener that runs is heard of later.
    if (entry != null && (entry.ended || entry.delivery.drop())) {
      held.release(entry.delivery);
    }
  }
}
