package io.outbox.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.fakes.CapturedLogs;
import io.outbox.fakes.Events;
import io.outbox.fakes.FakeDatabase;
import io.outbox.fakes.FakeStore;
import io.outbox.internal.store.StoreSession;
import io.outbox.model.EventRef;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LeaseReturnsTest {

  private final FakeDatabase database = new FakeDatabase();
  private final FakeStore store = new FakeStore(database);
  private final AtomicInteger woken = new AtomicInteger();
  private final LeaseReturns returns =
      new LeaseReturns(new StoreSession(database, store), woken::incrementAndGet);

  private EventRef leased(String id) {
    store.seed(
        Events.event(id),
        row -> {
          row.lockedBy = "me";
          row.lockedAt = Events.CREATED;
          row.leaseNo = 3;
          row.claims = 2;
        });
    return store.row(id).ref();
  }

  @Test
  void R15_aLeaseIsGivenBackWithItsClaim() {
    returns.giveBack(List.of(leased("a"), leased("b")));

    assertThat(store.row("a").lease()).isNull();
    assertThat(store.row("a").claims()).isEqualTo(1);
    assertThat(store.row("b").lease()).isNull();
    assertThat(store.calls("releaseLeases")).isEqualTo(1);
    assertThat(woken).hasValue(0);
  }

  @Test
  void whatHasNoLeaseNeedsNoDatabase() {
    returns.giveBack(List.of(EventRef.any("a"), EventRef.unleased("b", 0)));
    returns.giveBack(List.of());
    returns.tryAgain();

    assertThat(database.connections()).isZero();
  }

  @Test
  void aLockedRowIsTriedAgainSoon() throws SQLException {
    EventRef locked = leased("locked");
    try (Connection other = database.getConnection()) {
      other.setAutoCommit(false);
      store.markDone(other, "locked");
      returns.giveBack(List.of(locked, leased("free")));
      assertThat(store.row("free").lease()).isNull();
      assertThat(woken).hasValue(1);
      other.rollback();
    }
    returns.tryAgain();

    assertThat(store.row("locked").lease()).isNull();
    assertThat(returns.takeAll()).isEmpty();
  }

  @Test
  void R1_aFailureIsLoggedAndTriedAgain() {
    EventRef lease = leased("a");
    store.before(
        "releaseLeases",
        leases -> {
          throw new NoClassDefFoundError("injected");
        });
    returns.giveBack(List.of(lease));
    assertThat(CapturedLogs.of(LeaseReturns.class, Level.WARNING)).hasSize(1);
    store.heal();
    returns.giveBack(List.of(leased("b")));

    assertThat(store.row("a").lease()).isNull();
    assertThat(store.row("b").lease()).isNull();
  }

  @Test
  void R15_whatCouldNotBeGivenBackIsLeftToTheEnd() {
    EventRef lease = leased("a");
    database.onConnect =
        () -> {
          throw new SQLException("refused", "08001");
        };
    returns.giveBack(List.of(lease));

    assertThat(returns.takeAll()).containsExactly(lease);
    assertThat(returns.takeAll()).isEmpty();
  }

  @Test
  void R13_onlySoManyAreKept() {
    store.before(
        "releaseLeases",
        leases -> {
          throw new IllegalStateException("injected");
        });
    returns.giveBack(
        IntStream.range(0, 20_000).mapToObj(i -> new EventRef("e" + i, 1, "me")).toList());

    assertThat(returns.takeAll()).hasSize(10_000);
  }
}
