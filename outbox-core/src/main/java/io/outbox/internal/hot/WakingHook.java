package io.outbox.internal.hot;

import io.outbox.EventEnvelope;
import io.outbox.internal.BatchHook;
import io.outbox.internal.time.WakeUps;
import java.util.List;

/** Lets the poller look when there is something to deliver. */
public record WakingHook(WakeUps wakeUps) implements BatchHook {

  @Override
  public Batch inserted(List<EventEnvelope> events) {
    DueTimes dueTimes = new DueTimes();
    boolean dueNow = false;
    for (EventEnvelope event : events) {
      if (event.isDelayed()) {
        dueTimes.add(event.availableAt());
      } else {
        dueNow = true;
      }
    }
    return new Written(dueTimes, dueNow);
  }

  @Override
  public void afterCommit(List<EventEnvelope> events) {
    inserted(events).committed();
  }

  private final class Written implements Batch {
    private final DueTimes dueTimes;
    private final boolean dueNow;

    private Written(DueTimes dueTimes, boolean dueNow) {
      this.dueTimes = dueTimes;
      this.dueNow = dueNow;
    }

    @Override
    public void committed() {
      dueTimes.wake(wakeUps);
      if (dueNow) {
        wakeUps.now();
      }
    }

    @Override
    public void rolledBack() {}
  }
}
