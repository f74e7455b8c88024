package io.outbox.internal.signals;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.spi.ConnectionProvider;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A question to a pool must not take from it what others need. */
@Timeout(120)
class SpareConnectionsTest {

  /** Waits for a connection for ever, as many pools do unless they are told otherwise. */
  private static final class Pool implements ConnectionProvider {
    private final Semaphore free;
    private final boolean yields;

    Pool(int size, boolean yields) {
      this.free = new Semaphore(size);
      this.yields = yields;
    }

    @Override
    public Connection getConnection() throws SQLException {
      try {
        if (yields) {
          free.acquire();
        } else {
          free.acquireUninterruptibly();
        }
      } catch (InterruptedException e) {
        throw new SQLException("interrupted", e);
      }
      return (Connection)
          Proxy.newProxyInstance(
              Connection.class.getClassLoader(),
              new Class<?>[] {Connection.class},
              (proxy, method, args) -> {
                if (method.getName().equals("close")) {
                  free.release();
                }
                return null;
              });
    }
  }

  private static boolean nobodyAsks() {
    return Thread.getAllStackTraces().keySet().stream()
        .noneMatch(thread -> thread.getName().startsWith("outbox-spare-"));
  }

  @Test
  void twoMoreAreEnough() throws Exception {
    Pool pool = new Pool(3, true);
    Connection kept = pool.getConnection();

    await().until(() -> new SpareConnections(pool).areThere()); // within a second of a busy machine
    await().until(() -> pool.free.availablePermits() == 2);
    kept.close();
  }

  @Test
  void R18_theOnlyConnectionIsNotKeptToWaitForAnother() throws Exception {
    Pool pool = new Pool(1, false);
    SpareConnections spare = new SpareConnections(pool);
    Connection kept = pool.getConnection();
    assertThat(spare.areThere()).isFalse();
    kept.close();

    await().until(() -> pool.free.availablePermits() == 1 && nobodyAsks());
  }

  @Test
  void R18_aConnectionIsGivenBackWhenNoOtherComes() throws Exception {
    Pool pool = new Pool(2, true);
    SpareConnections spare = new SpareConnections(pool);
    Connection kept = pool.getConnection();
    assertThat(spare.areThere()).isFalse();

    await().until(() -> pool.free.availablePermits() == 1 && nobodyAsks());
    kept.close();
  }
}
