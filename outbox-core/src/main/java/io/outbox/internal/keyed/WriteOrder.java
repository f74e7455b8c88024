package io.outbox.internal.keyed;

import io.outbox.spi.lanes.Lane;
import java.util.ArrayDeque;
import java.util.Set;

/**
 * The events of one key whose outcomes are not written yet, in the order of their delivery. Not
 * thread-safe.
 */
final class WriteOrder {

  private final ArrayDeque<KeyedDelivery> unwritten = new ArrayDeque<>();

  void add(KeyedDelivery delivery) {
    unwritten.add(delivery);
  }

  void remove(KeyedDelivery delivery) {
    unwritten.remove(delivery);
  }

  boolean isEmpty() {
    return unwritten.isEmpty();
  }

  /** Whether all of it will be written in this term of the lane, so that the next may start. */
  boolean belongsTo(Lane lane) {
    return unwritten.stream().allMatch(before -> lane.equals(before.lane()) && !before.isRevoked());
  }

  /** What was done will be done again. */
  void revoke() {
    unwritten.forEach(KeyedDelivery::revoke);
  }

  /**
   * Adds those of {@code asked} that may be written together: the first ones. If a later one were
   * written before an earlier one, and the process died, the earlier one alone would be delivered
   * again.
   */
  void addWritable(Set<KeyedDelivery> asked, Set<KeyedDelivery> writable) {
    for (KeyedDelivery first : unwritten) {
      if (!asked.contains(first) || !writable.add(first)) {
        return; // the second: this key was looked at
      }
    }
  }
}
