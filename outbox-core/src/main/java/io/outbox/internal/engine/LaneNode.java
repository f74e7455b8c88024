package io.outbox.internal.engine;

import io.outbox.internal.keyed.KeyIntake;
import io.outbox.internal.keyed.KeyedDelivery;
import io.outbox.internal.keyed.WantedKeys;
import io.outbox.internal.lanes.LaneKeeper;
import io.outbox.internal.lanes.OwnedLanes;
import io.outbox.internal.queue.HeldEvents;
import io.outbox.internal.signals.CommitSignals;
import io.outbox.model.EventKey;
import io.outbox.model.EventRoute;
import io.outbox.spi.lanes.DueEvent;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** This node, as one of those that share the lanes and tell each other of commits. */
record LaneNode(
    EngineParts<KeyedDelivery> parts,
    OwnedLanes lanes,
    LaneKeeper keeper,
    HeldEvents held,
    WantedKeys wanted,
    KeyIntake intake)
    implements CommitSignals.Node {

  @Override
  public boolean hasOthers() {
    return keeper.hasOthers();
  }

  @Override
  public boolean isReady() {
    return lanes.size() > 0 && parts.isReady();
  }

  @Override
  public List<EventRoute> notWanted() {
    return parts.halted.all();
  }

  @Override
  public boolean isNews(DueEvent event) {
    return lanes.isOpen(event.key().lane()) && !held.contains(event.eventId());
  }

  @Override
  public void heard(Optional<Set<EventKey>> keys) {
    if (keys.isEmpty()) {
      wanted.wantAll();
    } else {
      keys.get().stream().filter(key -> lanes.isOpen(key.lane())).forEach(intake::committed);
    }
  }
}
