package io.outbox.internal.lanes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.outbox.fakes.CapturedLogs;
import io.outbox.fakes.Engine;
import io.outbox.internal.Conditions;
import io.outbox.internal.store.CallWatch;
import io.outbox.internal.store.StoreSession;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.lanes.Lane;
import io.outbox.spi.lanes.LaneGrant;
import io.outbox.spi.lanes.LaneStore;
import io.outbox.spi.lanes.LaneView;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class LaneKeeperTest {

  private static final int LANES = 4;
  private static final Duration LEASE = Duration.ofSeconds(30);

  private final AtomicInteger takes = new AtomicInteger();
  private final OwnedLanes lanes =
      new OwnedLanes("a", System::nanoTime, LEASE, Duration.ZERO, Duration.ofSeconds(1));

  private LaneGrant take() {
    if (takes.incrementAndGet() <= 2) {
      throw new IllegalStateException(new SQLTransactionRollbackException("Deadlock", "40001"));
    }
    return all();
  }

  private static LaneStore store(Runnable check, Supplier<LaneGrant> take) {
    return (LaneStore)
        Proxy.newProxyInstance(
            LaneStore.class.getClassLoader(),
            new Class<?>[] {LaneStore.class},
            (proxy, method, args) ->
                switch (method.getName()) {
                  case "check" -> {
                    check.run();
                    yield null;
                  }
                  case "beat" -> new LaneView(LANES, Set.of("a"), new LaneGrant(0, List.of()));
                  case "take" -> take.get();
                  default -> null;
                });
  }

  private LaneKeeper keeper(StoreSession session, LaneStore store) {
    CallWatch calls = new CallWatch(new Conditions(Instant::now));
    return new LaneKeeper(session, calls, store, "a", LEASE, lanes, gained -> {});
  }

  private static LaneGrant all() {
    return new LaneGrant(1, IntStream.range(0, LANES).mapToObj(i -> new Lane(i, 1)).toList());
  }

  @Test
  void aDeadlockWithOthersThatTakeLanesIsTriedAgainSoonWithoutAWarning() throws Exception {
    try (Engine engine = new Engine()) {
      StoreSession session = new StoreSession(engine.database, engine.store);
      LaneKeeper keeper = keeper(session, store(() -> {}, this::take));
      keeper.start();
      await().until(() -> lanes.open().size() == LANES);
      keeper.close(Duration.ofSeconds(5).toNanos());
    }
    assertThat(takes).hasValueGreaterThanOrEqualTo(3);
    assertThat(CapturedLogs.of(LaneKeeper.class, Level.WARNING)).isEmpty();
  }

  @Test
  @Timeout(120)
  void R18_aPoolThatHangsDoesNotHangTheStart() throws Exception {
    CountDownLatch poolAnswers = new CountDownLatch(1);
    try (Engine engine = new Engine()) {
      ConnectionProvider pool =
          () -> {
            try {
              poolAnswers.await();
            } catch (InterruptedException e) {
              throw new SQLException(e);
            }
            return engine.database.getConnection();
          };
      LaneKeeper keeper =
          keeper(new StoreSession(pool, engine.store), store(() -> {}, LaneKeeperTest::all));
      keeper.start();
      assertThat(lanes.open()).isEmpty();

      poolAnswers.countDown();
      await().until(() -> lanes.open().size() == LANES);
      keeper.close(Duration.ofSeconds(5).toNanos());
    }
  }

  @Test
  void aTableThatIsNotMadeForItIsStillRefusedAtTheStart() throws Exception {
    try (Engine engine = new Engine()) {
      StoreSession session = new StoreSession(engine.database, engine.store);
      Runnable check =
          () -> {
            throw new IllegalStateException("no lanes");
          };
      LaneKeeper keeper = keeper(session, store(check, LaneKeeperTest::all));

      assertThatIllegalStateException().isThrownBy(keeper::start).withMessage("no lanes");
    }
  }
}
