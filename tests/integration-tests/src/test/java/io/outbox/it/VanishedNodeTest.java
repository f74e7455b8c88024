package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.model.EventStatus;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.OutboxStore;
import io.outbox.testdb.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** R21: a node vanishes between a statement and its commit, and its session stays. */
@Timeout(600)
class VanishedNodeTest {

  private static final Duration LEASE = Duration.ofSeconds(8);
  private static final int EVENTS = 20;

  private static final Duration THREE_LEASES = LEASE.multipliedBy(3);

  /** In any case, on a machine that does much else. */
  private static final Duration TAKEOVER = THREE_LEASES.plusSeconds(60);

  /** How often a machine may be too slow. */
  private static final int RUNS = 3;

  @EachServer
  @Execution(ExecutionMode.CONCURRENT)
  void R21_anotherNodeOfMultiNodeDeliversWhatTheVanishedHadLocked(TestDatabase kind) {
    isTakenOver(kind, false);
  }

  @EachServer
  @Execution(ExecutionMode.CONCURRENT)
  void R21_anotherNodeOfOrderedByKeyDeliversWhatTheVanishedHadLocked(TestDatabase kind) {
    isTakenOver(kind, true);
  }

  /** On MySQL and MariaDB all statements would wait behind the one that changes the table. */
  @EachServer
  @Execution(ExecutionMode.CONCURRENT)
  void R21_aReaderThatVanishedKeepsNobodyFromChangingTheTable(TestDatabase kind) throws Exception {
    CountDownLatch reading = new CountDownLatch(1);
    CountDownLatch returned = new CountDownLatch(1);
    try (Scenario scenario = Scenario.orderedByKeyOn(kind)) {
      LaneTap tap = new LaneTap(scenario.store);
      tap.lanes.on(
          "scan",
          call -> {
            Object page = call.proceed();
            reading.countDown();
            returned.await();
            return page;
          });
      start(scenario, true, scenario.connections, tap.store(), new Deliveries());
      await().until(() -> reading.getCount() == 0);

      boolean mysql = kind != TestDatabase.POSTGRES;
      try (Connection conn = scenario.pool.getConnection();
          Statement statement = conn.createStatement()) {
        statement.execute("SET " + (mysql ? "lock_wait_timeout = 60" : "lock_timeout = '60s'"));
        statement.execute("ALTER TABLE outbox_event ADD COLUMN extra int");
      } finally {
        returned.countDown();
      }
    }
  }

  private static void isTakenOver(TestDatabase kind, boolean byKey) {
    List<Duration> took = new ArrayList<>();
    while (took.isEmpty() || took.get(took.size() - 1).compareTo(THREE_LEASES) > 0) {
      assertThat(took)
          .as("takeovers after more than three leases of %s", LEASE)
          .hasSizeLessThan(RUNS);
      try (Takeover takeover = new Takeover(kind, byKey)) {
        took.add(takeover.run());
      }
    }
    System.out.printf("%s %s: all done after %s%n", kind, byKey ? "by key" : "multiNode", took);
  }

  /** One node vanishes, another one delivers, the first one comes back. */
  private static final class Takeover implements AutoCloseable {
    private final boolean byKey;
    private final Scenario scenario;
    private final CountDownLatch delivering = new CountDownLatch(1);
    private final CountDownLatch vanished = new CountDownLatch(1);
    private final CountDownLatch returned = new CountDownLatch(1);
    private final AtomicInteger uncommitted = new AtomicInteger();
    private final AtomicInteger ended = new AtomicInteger();

    Takeover(TestDatabase kind, boolean byKey) {
      this.byKey = byKey;
      this.scenario = Scenario.orderedByKeyOn(kind);
    }

    /** How long it took from when the first one vanished until all was delivered. */
    Duration run() {
      Deliveries first = new Deliveries();
      first.then(
          event -> {
            delivering.await();
            return DispatchResult.done();
          });
      Tap<OutboxStore> store = Scenario.withCommits(scenario.storeTap());
      Outbox node = start(scenario, byKey, vanishing(scenario.connections), store.proxy(), first);
      scenario.write(node.writer(), events());
      await().until(() -> first.count() >= EVENTS);
      long start = System.nanoTime();
      vanished.countDown();
      delivering.countDown();
      await().until(() -> uncommitted.get() > 0);

      Deliveries second = new Deliveries();
      start(scenario, byKey, scenario.connections, scenario.store, second);
      scenario.awaitFinished(TAKEOVER);
      Duration took = Duration.ofNanos(System.nanoTime() - start);
      assertThat(scenario.counts()).isEqualTo(Map.of(EventStatus.DONE, EVENTS));
      assertThat(second.count()).isEqualTo(EVENTS);

      // It comes back: what the server has ended is not committed.
      int waiting = uncommitted.get();
      returned.countDown();
      await().until(() -> ended.get() >= waiting);
      assertThat(scenario.counts()).isEqualTo(Map.of(EventStatus.DONE, EVENTS));
      assertThat(second.repeated()).isEmpty();
      return took;
    }

    /** Connections whose commits do not come back once the node has vanished. */
    private ConnectionProvider vanishing(ConnectionProvider connections) {
      return () ->
          new Tap<>(Connection.class, connections.getConnection())
              .on(
                  "commit",
                  call -> {
                    if (vanished.getCount() == 0) {
                      uncommitted.incrementAndGet();
                      returned.await();
                    }
                    try {
                      return call.proceed();
                    } finally {
                      ended.addAndGet(vanished.getCount() == 0 ? 1 : 0);
                    }
                  })
              .proxy();
    }

    @Override
    public void close() {
      delivering.countDown();
      returned.countDown();
      scenario.close();
    }
  }

  private static Outbox start(
      Scenario scenario,
      boolean byKey,
      ConnectionProvider connections,
      OutboxStore store,
      Deliveries deliveries) {
    Outbox.ConcurrentBuilder<?> builder =
        byKey ? scenario.orderedByKey().laneLease(LEASE) : scenario.multiNode(LEASE);
    return scenario.start(
        builder
            .connectionProvider(connections)
            .outboxStore(store)
            .listenerRegistry(Scenario.to(deliveries))
            .workerCount(EVENTS)
            .intervalMs(100)
            .drainTimeoutMs(100));
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

  @EachServer
  void R21_aBoundIsForTheTransactionAndOnlyEverLowered(TestDatabase kind) throws SQLException {
    try (Scenario scenario = Scenario.on(kind);
        Connection conn = scenario.database.dataSource().getConnection()) {
      List<String> before = bounds(kind, conn);
      conn.setAutoCommit(false);
      scenario.store.prepareTransaction(conn, LEASE);
      assertThat(bounds(kind, conn))
          .isEqualTo(kind == TestDatabase.POSTGRES ? List.of("8s", "8000") : List.of("8"));
      conn.commit();
      scenario.store.transactionEnded(conn);
      assertThat(bounds(kind, conn)).isEqualTo(before);
      conn.rollback();

      lower(kind, conn);
      scenario.store.prepareTransaction(conn, LEASE);
      assertThat(bounds(kind, conn))
          .isEqualTo(kind == TestDatabase.POSTGRES ? List.of("1500ms", "1500") : List.of("1"));
      conn.rollback();
      scenario.store.transactionEnded(conn);
    }
  }

  /** Whatever an engine did with the connections of a pool, business transactions find them new. */
  @EachDatabase
  void R21_nothingOfItStaysWithTheConnectionsOfThePool(TestDatabase kind) throws SQLException {
    for (boolean byKey : new boolean[] {false, true}) {
      try (Scenario scenario = Scenario.orderedByKeyOn(kind)) {
        List<String> fresh;
        try (Connection conn = scenario.database.dataSource().getConnection()) {
          fresh = bounds(kind, conn);
          fresh.add("network " + conn.getNetworkTimeout());
        }
        Outbox node =
            start(scenario, byKey, scenario.connections, scenario.store, scenario.deliveries);
        for (int i = 1; i <= 5; i++) {
          scenario.write(node.writer(), events());
          scenario.awaitAllDone(i * EVENTS);
        }
        node.close();
        List<Connection> all = new ArrayList<>();
        for (int i = 0; i < scenario.pool.getHikariPoolMXBean().getTotalConnections(); i++) {
          all.add(scenario.pool.getConnection());
        }
        for (Connection conn : all) {
          List<String> now = bounds(kind, conn);
          now.add("network " + conn.getNetworkTimeout());
          assertThat(now).isEqualTo(fresh);
          conn.close();
        }
      }
    }
  }

  private static void lower(TestDatabase kind, Connection conn) throws SQLException {
    try (Statement statement = conn.createStatement()) {
      if (kind == TestDatabase.POSTGRES) {
        statement.execute("SET idle_in_transaction_session_timeout = 1500");
        statement.execute("SET tcp_user_timeout = 1500");
        conn.commit();
      } else {
        statement.execute("SET SESSION wait_timeout = 1");
      }
    }
  }

  private static List<String> bounds(TestDatabase kind, Connection conn) throws SQLException {
    List<String> bounds = new ArrayList<>();
    String sql =
        switch (kind) {
          case POSTGRES ->
              "SELECT current_setting('idle_in_transaction_session_timeout'),"
                  + " current_setting('tcp_user_timeout')";
          case H2 -> "SELECT 'none'";
          default -> "SELECT @@session.wait_timeout";
        };
    try (Statement statement = conn.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
        bounds.add(row.getString(i));
      }
    }
    return bounds;
  }
}
