package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.operate.Condition;
import io.outbox.spi.ConnectionProvider;
import io.outbox.testbrokers.TcpProxy;
import io.outbox.testdb.TestDatabase;
import java.net.URI;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;

/** R18: connections that neither work nor break. */
@Timeout(300)
class HalfOpenConnectionTest {

  private static final Duration LEASE = Duration.ofSeconds(2);
  private static final int EVENTS = 20;
  private static final int CONNECTIONS = 5;
  private static final Duration GENEROUS = Duration.ofSeconds(60);
  private static final Duration LONG_LEASE = Duration.ofSeconds(30);

  /** Long before three quarters of a long lease; a third of it should be enough. */
  private static final Duration SECOND_TRY = Duration.ofSeconds(20);

  private final CountDownLatch release = new CountDownLatch(1);

  @AfterEach
  void letListenersGo() {
    release.countDown();
  }

  /** A pool whose connections go through a proxy. */
  private static final class ProxiedPool implements AutoCloseable {
    private final TcpProxy proxy;
    private final HikariDataSource pool;

    /**
     * @param patience how long it waits for a connection
     */
    ProxiedPool(Scenario scenario, Duration patience) {
      String url = scenario.database.jdbcUrl();
      URI address = URI.create(url.substring("jdbc:".length()));
      this.proxy = TcpProxy.to(address.getHost(), address.getPort());
      HikariConfig config = new HikariConfig();
      config.setJdbcUrl(url.replace(address.getAuthority(), proxy.host() + ":" + proxy.port()));
      config.setUsername(scenario.database.user());
      config.setPassword(scenario.database.password());
      config.setMaximumPoolSize(CONNECTIONS);
      config.setValidationTimeout(500); // all of them may be dead
      config.setConnectionTimeout(patience.toMillis());
      config.setInitializationFailTimeout(GENEROUS.toMillis());
      this.pool = new HikariDataSource(config);
    }

    /** Those that there are. One that is being made would hold up the pool, not the outbox. */
    void killConnections() {
      await().until(() -> pool.getHikariPoolMXBean().getTotalConnections() == CONNECTIONS);
      proxy.restoreForNewConnections();
    }

    @Override
    public void close() {
      proxy.close();
      pool.close();
    }
  }

  /** Gives one connection that died to a thread with this name. */
  private static final class DeadOnce implements ConnectionProvider, AutoCloseable {
    private final Scenario scenario;
    private final String thread;
    private final TcpProxy proxy;
    private final String url;
    private volatile boolean armed;
    private volatile long givenNanos;
    private volatile long nextNanos;

    DeadOnce(Scenario scenario, String thread) {
      this.scenario = scenario;
      this.thread = thread;
      URI address = URI.create(scenario.database.jdbcUrl().substring("jdbc:".length()));
      this.proxy = TcpProxy.to(address.getHost(), address.getPort());
      this.url =
          scenario
              .database
              .jdbcUrl()
              .replace(address.getAuthority(), proxy.host() + ":" + proxy.port());
    }

    @Override
    public Connection getConnection() throws SQLException {
      if (armed && Thread.currentThread().getName().startsWith(thread)) {
        if (givenNanos == 0) {
          Connection dead =
              DriverManager.getConnection(
                  url, scenario.database.user(), scenario.database.password());
          proxy.freeze();
          givenNanos = System.nanoTime();
          return dead;
        }
        nextNanos = nextNanos == 0 ? System.nanoTime() : nextNanos;
      }
      return scenario.connections.getConnection();
    }

    /** How long it took until another connection was asked for. */
    Duration secondTry() {
      armed = true;
      await().atMost(GENEROUS).until(() -> nextNanos != 0);
      return Duration.ofNanos(nextNanos - givenNanos);
    }

    @Override
    public void close() {
      proxy.close();
    }
  }

  /** At its defaults a node waits 13.5 s for a beat, and then delivers nothing. */
  @EachServer
  void R18_aBeatIsTriedAgainInTime(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind);
        DeadOnce dead = new DeadOnce(scenario, "outbox-members-")) {
      scenario.start(scenario.singleNode().connectionProvider(dead));

      assertThat(dead.secondTry()).isLessThan(SECOND_TRY);
    }
  }

  @EachServer
  void R18_lanesAreRenewedByASecondTry(TestDatabase kind) {
    try (Scenario scenario = Scenario.orderedByKeyOn(kind);
        DeadOnce dead = new DeadOnce(scenario, "outbox-lanes-")) {
      scenario.start(scenario.orderedByKey().laneLease(LONG_LEASE).connectionProvider(dead));

      // MySQL's driver waits once more when it ends the transaction.
      Duration most = kind == TestDatabase.MYSQL ? LONG_LEASE.minusSeconds(4) : SECOND_TRY;
      assertThat(dead.secondTry()).isLessThan(most);
    }
  }

  private static List<EventEnvelope> events() {
    return IntStream.range(0, EVENTS)
        .mapToObj(
            n ->
                EventEnvelope.builder(Scenario.TYPE)
                    .orderingKey("key-" + n)
                    .payloadJson(Integer.toString(n))
                    .build())
        .toList();
  }

  private static Outbox.ConcurrentBuilder<?> builder(Scenario scenario, boolean byKey) {
    return byKey ? scenario.orderedByKey().laneLease(LEASE) : scenario.multiNode(LEASE);
  }

  private static Outbox start(
      Scenario scenario, boolean byKey, ConnectionProvider connections, Deliveries deliveries) {
    return scenario.start(
        builder(scenario, byKey)
            .connectionProvider(connections)
            .listenerRegistry(Scenario.to(deliveries))
            .workerCount(EVENTS)
            .intervalMs(20)
            .drainTimeoutMs(100));
  }

  @EachServer
  void R18_multiNodeOutlivesConnectionsThatDied(TestDatabase kind) {
    outlivesDeadConnections(kind, false);
  }

  @EachServer
  void R18_orderedByKeyOutlivesConnectionsThatDied(TestDatabase kind) {
    outlivesDeadConnections(kind, true);
  }

  /** Nobody else is there: the node has to notice by itself, and new connections work. */
  private void outlivesDeadConnections(TestDatabase kind, boolean byKey) {
    try (Scenario scenario = Scenario.orderedByKeyOn(kind);
        ProxiedPool proxied = new ProxiedPool(scenario, LEASE)) {
      Outbox node = start(scenario, byKey, proxied.pool::getConnection, scenario.deliveries);
      for (int round = 1; round <= 3; round++) {
        scenario.write(node.writer(), events());
        scenario.awaitAllDone(round * EVENTS);
        proxied.killConnections();
      }
      scenario.write(node.writer(), events());
      await().atMost(GENEROUS).until(() -> scenario.deliveries.count() >= 4 * EVENTS);
      scenario.awaitFinished(GENEROUS);
      node.close();
    }
  }

  @EachServer
  void R18_multiNodeThatCannotWorkLeavesItsLeasesToOthers(TestDatabase kind) {
    leavesWhatItHolds(kind, false);
  }

  @EachServer
  void R18_orderedByKeyThatCannotWorkLeavesItsLanesToOthers(TestDatabase kind) {
    leavesWhatItHolds(kind, true);
  }

  /** Whoever renews has a connection that works; who reads and writes events has none. */
  private void leavesWhatItHolds(TestDatabase kind, boolean byKey) {
    try (Scenario scenario = Scenario.orderedByKeyOn(kind);
        ProxiedPool proxied = new ProxiedPool(scenario, GENEROUS.multipliedBy(2))) {
      Deliveries first = new Deliveries();
      first.then(
          event -> {
            release.await();
            return DispatchResult.done();
          });
      Outbox stuck =
          start(
              scenario,
              byKey,
              () ->
                  Thread.currentThread().getName().matches("outbox-(feeder|recorder|poller).*")
                      ? proxied.pool.getConnection()
                      : scenario.connections.getConnection(),
              first);
      List<String> ids = scenario.write(stuck.writer(), events());
      await().until(() -> first.ids().containsAll(ids));
      proxied.proxy.freeze();
      release.countDown();

      Deliveries second = new Deliveries();
      long start = System.nanoTime();
      start(scenario, byKey, scenario.connections, second);
      await()
          .atMost(GENEROUS)
          .until(
              () ->
                  stuck.conditions().stream()
                      .anyMatch(is -> is.kind() == Condition.Kind.CANNOT_WORK));
      scenario.awaitFinished(GENEROUS);
      System.out.printf(
          "%s %s: all done after %.1f s, lease %s%n",
          kind, byKey ? "by key" : "multiNode", (System.nanoTime() - start) / 1e9, LEASE);
      assertThat(second.ids()).containsAll(ids);
      proxied.proxy.cut();
    }
  }
}
