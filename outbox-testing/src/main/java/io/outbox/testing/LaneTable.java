package io.outbox.testing;

import io.outbox.model.EventKey;
import io.outbox.spi.lanes.KeyBlock;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/** What an {@link InMemoryDatabase} keeps for order by key. Used under its monitor only. */
final class LaneTable {

  /** A lane, free at first. */
  static final class Owned {
    String owner;
    long epoch;
    Instant until;

    boolean isFree(Instant now) {
      return owner == null || !until.isAfter(now);
    }
  }

  final Owned[] lanes = new Owned[EventKey.LANES];
  final Map<String, Instant> beats = new HashMap<>();
  final Map<EventKey, KeyBlock> blocks = new LinkedHashMap<>();

  LaneTable() {
    for (int lane = 0; lane < lanes.length; lane++) {
      lanes[lane] = new Owned();
    }
  }
}
