package io.outbox.internal.engine;

import io.outbox.EventEnvelope;
import io.outbox.internal.keyed.EarlyLooks;
import io.outbox.internal.keyed.KeyIntake;
import io.outbox.internal.keyed.KeyedDelivery;
import io.outbox.internal.keyed.Look;
import io.outbox.internal.keyed.WantedKeys;
import io.outbox.internal.lanes.OwnedLanes;
import io.outbox.internal.signals.CommitSignals;
import io.outbox.model.EventKey;
import io.outbox.spi.lanes.Lane;
import java.time.Duration;
import java.util.Optional;

/** What transactions of this process write and commit goes to the node that owns the key. */
public final class KeyedCommits {

  /** Less than how far each look for due events goes back. */
  private static final Duration LATE = Duration.ofMillis(500);

  private final EngineParts<KeyedDelivery> parts;
  private final OwnedLanes lanes;
  private final WantedKeys wanted;
  private final KeyIntake intake;
  private final EarlyLooks looks;
  private final CommitSignals news; // null: other nodes' events wait for the interval

  KeyedCommits(
      EngineParts<KeyedDelivery> parts,
      OwnedLanes lanes,
      WantedKeys wanted,
      KeyIntake intake,
      EarlyLooks looks,
      CommitSignals news) {
    this.parts = parts;
    this.lanes = lanes;
    this.wanted = wanted;
    this.intake = intake;
    this.looks = looks;
    this.news = news;
  }

  /**
   * Whether other nodes would look for it too far in the past; whatever the writer's clock says.
   */
  boolean isLate(EventEnvelope event) {
    return !event.isDelayed() && event.occurredAt().isBefore(parts.clock.now().minus(LATE));
  }

  /** An event was inserted; null if nobody wants to know how its transaction ends. */
  Look written(EventKey key, EventEnvelope event) {
    Optional<Lane> term =
        event.isDelayed() || !parts.isReady() ? Optional.empty() : lanes.open(key.lane());
    return term.isPresent() ? looks.written(key, event, term.get()) : looks.unseen(key);
  }

  /** There are more events than it was told. */
  Look writtenMore() {
    return looks.unseen(null);
  }

  /** A transaction was rolled back, or there is no use for what was seen; null is ignored. */
  void ended(Look look) {
    if (look != null) {
      looks.ended(look);
    }
  }

  /** To be called after the commit, on the writer's thread. */
  void committed(KeyedHook.Written event) {
    parts.unwritten.databaseAnswered();
    if (!isDueHere(event)) {
      ended(event.look());
    } else if (event.look() != null) {
      looks.committed(event.look());
    } else {
      intake.committed(event.key());
    }
  }

  /** Whether it is to be delivered now, by this node; if not, it will be found when it is. */
  private boolean isDueHere(KeyedHook.Written event) {
    EventKey key = event.key();
    if (!lanes.isOpen(key.lane())) {
      if (lanes.owns(key.lane())) {
        wanted.wantAll(); // its lease has lapsed, and may be renewed before anybody looks
      }
      if (news != null) {
        news.tell(key);
      }
      return false; // its owner will find it
    }
    if (parts.paused.isPaused(event.route())) {
      parts.metrics.incrementHotSkippedPaused();
      return false;
    }
    if (parts.breakers.isOpenFor(event.route()) || parts.missing.isLeftOut(event.route())) {
      parts.metrics.incrementHotSkippedOutage();
      return false;
    }
    if (parts.policies.holdsBack(event.route())) {
      parts.metrics.incrementHotDropped();
      return false;
    }
    if (event.delayedUntil() != null) {
      wanted.committed(key, event.delayedUntil());
      return false;
    }
    parts.metrics.incrementHotEnqueued();
    return true;
  }

  /** There were more events than it was told. */
  void committedMore() {
    wanted.wantAll();
    if (news != null && lanes.size() < EventKey.LANES) {
      news.tellAny();
    }
  }
}
