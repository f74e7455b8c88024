package io.outbox.internal.lanes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.fakes.CapturedLogs;
import io.outbox.fakes.Engine;
import io.outbox.internal.StoreSession;
import io.outbox.model.Lane;
import io.outbox.model.LaneGrant;
import io.outbox.model.LaneView;
import io.outbox.spi.LaneStore;
import java.lang.reflect.Proxy;
import java.sql.SQLTransactionRollbackException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LaneKeeperTest {

  private static final int LANES = 4;
  private static final Duration LEASE = Duration.ofSeconds(30);

  private final AtomicInteger takes = new AtomicInteger();

  private LaneGrant take() {
    if (takes.incrementAndGet() <= 2) {
      throw new IllegalStateException(new SQLTransactionRollbackException("Deadlock", "40001"));
    }
    return new LaneGrant(1, IntStream.range(0, LANES).mapToObj(i -> new Lane(i, 1)).toList());
  }

  @Test
  void aDeadlockWithOthersThatTakeLanesIsTriedAgainSoonWithoutAWarning() throws Exception {
    LaneStore store =
        (LaneStore)
            Proxy.newProxyInstance(
                LaneStore.class.getClassLoader(),
                new Class<?>[] {LaneStore.class},
                (proxy, method, args) ->
                    switch (method.getName()) {
                      case "beat" -> new LaneView(LANES, Set.of("a"), new LaneGrant(0, List.of()));
                      case "take" -> take();
                      default -> null;
                    });
    OwnedLanes lanes =
        new OwnedLanes("a", System::nanoTime, LEASE, Duration.ZERO, Duration.ofSeconds(1));
    try (Engine engine = new Engine()) {
      StoreSession session = new StoreSession(engine.database, engine.store);
      LaneKeeper keeper = new LaneKeeper(session, store, "a", LEASE, lanes, gained -> {});
      keeper.start();
      await().until(() -> lanes.open().size() == LANES);
      keeper.close(Duration.ofSeconds(5).toNanos());
    }
    assertThat(takes).hasValueGreaterThanOrEqualTo(3);
    assertThat(CapturedLogs.of(LaneKeeper.class, Level.WARNING)).isEmpty();
  }
}
