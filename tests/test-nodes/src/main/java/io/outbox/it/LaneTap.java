package io.outbox.it;

import io.outbox.spi.OutboxStore;
import io.outbox.spi.lanes.Lane;
import io.outbox.spi.lanes.LaneGrant;
import io.outbox.spi.lanes.LaneReturn;
import io.outbox.spi.lanes.LaneStore;
import io.outbox.spi.lanes.LaneView;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** Stands before a store, and knows under which epochs its node has its lanes. Thread-safe. */
public final class LaneTap {

  final Tap<LaneStore> lanes;
  final Tap<OutboxStore> store;
  private final Map<Integer, Long> epochs = new ConcurrentHashMap<>();

  public LaneTap(OutboxStore real) {
    this(real, lane -> {}, lane -> {});
  }

  /**
   * @param givenBack told of lanes that the node gives back
   * @param takenOver told of lanes that the node takes though their owner has not
   */
  public LaneTap(OutboxStore real, Consumer<Lane> givenBack, Consumer<Lane> takenOver) {
    lanes = new Tap<>(LaneStore.class, real.lanes().orElseThrow());
    store = new Tap<>(OutboxStore.class, real).on("lanes", call -> Optional.of(lanes.proxy()));
    lanes.on(
        "take",
        call -> {
          LaneGrant grant = (LaneGrant) call.proceed();
          grant.abandoned().forEach(takenOver);
          granted(grant);
          return grant;
        });
    lanes.on(
        "beat",
        call -> {
          LaneView view = (LaneView) call.proceed();
          granted(view.owned());
          return view;
        });
    lanes.on(
        "release",
        call -> {
          call.proceed();
          ((Collection<?>) call.arguments()[2])
              .forEach(lane -> givenBack.accept(((LaneReturn) lane).lane()));
          return null;
        });
  }

  private void granted(LaneGrant grant) {
    grant.lanes().forEach(lane -> epochs.put(lane.number(), lane.epoch()));
  }

  public OutboxStore store() {
    return store.proxy();
  }

  /** Under which the lane was granted last; -1 if it never was. */
  public long epoch(int lane) {
    return epochs.getOrDefault(lane, -1L);
  }
}
