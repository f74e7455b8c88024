package io.outbox.internal.call;

import io.outbox.model.EventRoute;
import io.outbox.spi.MemberDetail.MissingListener;
import java.time.Duration;
import java.time.Instant;

/**
 * A route that this node has events of, but no listener for: how long its events wait for another
 * node. Not thread-safe.
 */
final class MissingRoute {

  private final EventRoute route;
  private final Duration grace;
  private final Instant since;
  private String nearMiss; // null: none is known
  private Instant nobodySince; // null: another node may have one
  private Instant seenAt; // when an event of it was here
  private Instant tooOldAt; // when one of them will have waited too long; null: never
  private Instant openAt; // since when its events are read again; null: they are left out

  /**
   * @param grace for how long no live node must have had a listener
   */
  MissingRoute(EventRoute route, Duration grace, Instant since) {
    this.route = route;
    this.grace = grace;
    this.since = since;
  }

  /** Since when no live node has a listener; null if one may have. */
  Instant nobodySince() {
    return nobodySince;
  }

  /** Whether all other nodes lack it, too, as is known at this time. */
  void lackedByOthers(boolean lacked, Instant at) {
    Instant before = nobodySince == null ? at : nobodySince;
    nobodySince = lacked ? before : null;
  }

  /** An event of it is here. */
  void seen(Instant at, String likely) {
    seenAt = at;
    nearMiss = likely;
  }

  /** What is read is read oldest first: behind one that may wait, others may, too. */
  void waitsUntil(Instant next, Instant at) {
    if (tooOldAt == null || next == null) {
      tooOldAt = next;
      return;
    }
    boolean tried = !tooOldAt.isAfter(at) && next.isAfter(at);
    tooOldAt = tried || next.isBefore(tooOldAt) ? next : tooOldAt;
  }

  /**
   * Whether nothing waits for another node any more.
   *
   * @param asOf the last look at the other nodes: who has come since may have a listener
   */
  boolean isOver(Instant asOf) {
    return nobodySince != null && !asOf.isBefore(nobodySince.plus(grace));
  }

  /** Whether its events are not worth reading now. */
  boolean isLeftOut(Instant asOf, Instant at) {
    boolean tooOld = tooOldAt != null && !at.isBefore(tooOldAt);
    if (!isOver(asOf) && !tooOld) {
      openAt = null;
      return true;
    }
    openAt = openAt == null ? at : openAt;
    return false;
  }

  /** Whether nothing of it came for so long, though it is read. */
  boolean isQuietFor(Duration quiet, Instant at) {
    return openAt != null && at.isAfter(openAt.plus(quiet)) && at.isAfter(seenAt.plus(quiet));
  }

  /** For the other nodes. */
  MissingListener forOthers() {
    return new MissingListener(route, nobodySince == null ? since : nobodySince, true, nearMiss);
  }

  /** For people. */
  String describe(Instant asOf) {
    String what =
        "no listener for "
            + Unroutable.describe(route)
            + (nearMiss == null ? "" : " (" + nearMiss + ")");
    if (nobodySince == null) {
      return what + " on this node since " + since + ": its events wait for a node that has one";
    }
    String ofAny = what + " on any node since " + nobodySince;
    return isOver(asOf)
        ? ofAny + ": its events become DEAD"
        : ofAny + ": unless one comes, its events become DEAD at " + nobodySince.plus(grace);
  }
}
