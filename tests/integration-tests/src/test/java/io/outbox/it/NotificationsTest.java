package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.EventEnvelope;
import io.outbox.OutageException;
import io.outbox.Outbox;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.model.EventKey;
import io.outbox.model.EventRoute;
import io.outbox.operate.Condition;
import io.outbox.spi.ConnectionProvider;
import io.outbox.testbrokers.TcpProxy;
import io.outbox.testdb.TestDatabase;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Nodes that learn at once what others have committed, with an interval that is far too long. Where
 * nothing is said the settings are the defaults.
 */
@Timeout(300)
class NotificationsTest {

  private static final int EVENTS = 100;
  private static final long INTERVAL_MS = 300_000;
  private static final Duration LONG = Duration.ofSeconds(60);

  private static final UnaryOperator<Outbox.OrderedByKeyBuilder> DEFAULTS = builder -> builder;

  private static final EventRoute ROUTE = EventRoute.of(Scenario.event());

  /** Of so many keys some belong to each of two nodes. */
  private static List<EventEnvelope> events() {
    return events("key-", EVENTS, event -> event);
  }

  private static List<EventEnvelope> events(
      String prefix, int count, UnaryOperator<EventEnvelope.Builder> more) {
    return IntStream.range(0, count)
        .mapToObj(n -> EventEnvelope.builder(Scenario.TYPE).orderingKey(prefix + n))
        .map(event -> more.apply(event.payloadJson("{}")).build())
        .toList();
  }

  private static List<Integer> lanesOfEach(Scenario scenario) {
    return scenario
        .query("SELECT count(*) FROM outbox_event_lane WHERE owner IS NOT NULL GROUP BY owner")
        .stream()
        .map(row -> ((Number) row.get(0)).intValue())
        .toList();
  }

  private record Nodes(Outbox first, Outbox second) {
    List<Condition.Kind> conditions() {
      return List.of(first, second).stream()
          .flatMap(node -> node.conditions().stream())
          .map(Condition::kind)
          .toList();
    }
  }

  /** Two nodes that have looked through their lanes, which they do as soon as they have them. */
  private static Nodes startTwoNodes(
      Scenario scenario, UnaryOperator<Outbox.OrderedByKeyBuilder> settings) {
    Nodes nodes = new Nodes(startNode(scenario, settings), startNode(scenario, settings));
    await().until(() -> lanesOfEach(scenario), List.of(32, 32)::equals);
    EventEnvelope before = EventEnvelope.builder(Scenario.TYPE).payloadJson("{}").build();
    scenario.write(nodes.first.writer(), before);
    return nodes;
  }

  private static Outbox startNode(
      Scenario scenario, UnaryOperator<Outbox.OrderedByKeyBuilder> settings) {
    return scenario.start(settings.apply(scenario.orderedByKey().intervalMs(INTERVAL_MS)));
  }

  private static void writeOn(Outbox node, Scenario scenario) {
    events().forEach(event -> scenario.write(node.writer(), event));
  }

  private static Set<String> delivered(Scenario scenario) {
    Set<String> keys = new HashSet<>();
    for (EventEnvelope event : scenario.deliveries.events()) {
      if (event.orderingKey() != null) {
        keys.add(EventKey.of(event).name());
      }
    }
    return keys;
  }

  /** The sessions that listen, as the server knows them. */
  private static List<Object> listening(Scenario scenario) {
    return scenario
        .query(
            "SELECT pid FROM pg_stat_activity WHERE datname = current_database()"
                + " AND query LIKE 'LISTEN %' ORDER BY pid")
        .stream()
        .map(row -> row.get(0))
        .toList();
  }

  @Test
  void onPostgresTheOwnerOfAKeyHearsOfWhatAnotherNodeCommits() {
    try (Scenario scenario = Scenario.orderedByKeyOn(TestDatabase.POSTGRES)) {
      Nodes nodes = startTwoNodes(scenario, DEFAULTS);
      await().atMost(LONG).until(() -> listening(scenario).size() == 2);
      writeOn(nodes.first, scenario);

      await().until(() -> delivered(scenario).size() == EVENTS);
      await().atMost(LONG).until(() -> nodes.conditions().isEmpty());
    }
  }

  /** R11: nobody looks for what becomes due where nodes hear each other. */
  @Test
  void R11_onPostgresTheOwnerOfAKeyHearsOfADelayedEvent() {
    try (Scenario scenario = Scenario.orderedByKeyOn(TestDatabase.POSTGRES)) {
      Nodes nodes = startTwoNodes(scenario, DEFAULTS);
      await().atMost(LONG).until(() -> listening(scenario).size() == 2);
      await().pollDelay(Duration.ofSeconds(1)).until(() -> true); // they have heard themselves
      scenario.write(
          nodes.first.writer(),
          events("", EVENTS, event -> event.availableAt(Instant.now().plusSeconds(3))));

      await().atMost(LONG).until(() -> delivered(scenario).size() == EVENTS);
    }
  }

  /** R20: whatever its writer's clock says, and however long ago it occurred. */
  @ParameterizedTest
  @EnumSource(
      value = TestDatabase.class,
      names = {"POSTGRES", "H2", "MARIADB"})
  void R20_anEventOfThePastIsFoundAsWell(TestDatabase kind) {
    try (Scenario scenario = Scenario.orderedByKeyOn(kind)) {
      ConnectionProvider deaf =
          kind == TestDatabase.POSTGRES
              ? () -> withoutListen(scenario.pool.getConnection())
              : scenario.connections;
      Nodes nodes = startTwoNodes(scenario, builder -> builder.connectionProvider(deaf));
      Instant past = Instant.now().minus(Duration.ofMinutes(5));
      scenario.write(
          nodes.first.writer(), events("key-", EVENTS / 2, event -> event.occurredAt(past)));
      events("one-", EVENTS / 2, event -> event.occurredAt(past))
          .forEach(event -> scenario.write(nodes.first.writer(), event));

      await().atMost(LONG).until(() -> delivered(scenario).size() == EVENTS);
      assertThat(scenario.deliveries.events()).noneMatch(EventEnvelope::isDelayed);
    }
  }

  /** Not every key of a large batch is remembered until its commit, or read by one look. */
  @ParameterizedTest
  @EnumSource(
      value = TestDatabase.class,
      names = {"POSTGRES", "H2", "MARIADB"})
  void aBatchOfAnySizeIsFound(TestDatabase kind) {
    try (Scenario scenario = Scenario.orderedByKeyOn(kind)) {
      Nodes nodes = startTwoNodes(scenario, DEFAULTS);
      int many = 15_000;
      scenario.write(nodes.first.writer(), events("", many, event -> event));

      await().atMost(LONG.multipliedBy(2)).until(() -> delivered(scenario).size() == many);
    }
  }

  /** R12: it would only be read again and again. */
  @Test
  void R12_nobodyLooksForEventsOfAListenerThatIsDown() {
    try (Scenario scenario = Scenario.orderedByKeyOn(TestDatabase.H2)) {
      scenario.deliveries.then(
          event -> {
            throw new OutageException("down");
          });
      AtomicBoolean leftOut = new AtomicBoolean();
      LaneTap tap = new LaneTap(scenario.store);
      tap.lanes.on(
          "due",
          call -> {
            if (Thread.currentThread().getName().startsWith("outbox-due-")) {
              leftOut.set(((List<?>) call.arguments()[4]).contains(ROUTE));
            }
            return call.proceed();
          });
      Nodes nodes = startTwoNodes(scenario, builder -> builder.outboxStore(tap.store()));
      writeOn(nodes.first, scenario);

      await().atMost(LONG).until(leftOut::get);
    }
  }

  /** It keeps no connection, and does not look for what nobody but itself can have written. */
  @Test
  void aNodeWithoutOthersDoesNotListen() {
    try (Scenario scenario = Scenario.orderedByKeyOn(TestDatabase.POSTGRES)) {
      Outbox first = startNode(scenario, DEFAULTS);
      Outbox second = startNode(scenario, DEFAULTS);
      await().atMost(LONG).until(() -> listening(scenario).size() == 2);
      second.close();

      await().atMost(LONG).until(() -> listening(scenario).isEmpty());
      first.close();
      assertThat(scenario.pool.getHikariPoolMXBean().getActiveConnections()).isZero();
    }
  }

  @EachWithoutNotifications
  void elsewhereTheOwnerOfAKeyLooksForIt(TestDatabase kind) {
    try (Scenario scenario = Scenario.orderedByKeyOn(kind)) {
      Nodes nodes = startTwoNodes(scenario, DEFAULTS);
      writeOn(nodes.first, scenario);
      writeOn(nodes.second, scenario);

      await().until(() -> scenario.deliveries.events().size() == 2 * EVENTS + 1);
      assertThat(nodes.conditions()).isEmpty();
    }
  }

  /** It was inserted, and so due, seconds before anybody could see it. */
  @EachWithoutNotifications
  void aTransactionThatCommitsLateIsFoundAsWell(TestDatabase kind) throws Exception {
    try (Scenario scenario = Scenario.orderedByKeyOn(kind)) {
      Nodes nodes = startTwoNodes(scenario, DEFAULTS);
      try (var transaction = scenario.transactions.begin()) {
        nodes.first.writer().writeAll(events());
        Thread.sleep(2_500); // longer than what every look goes back
        transaction.commit();
      }

      await().until(() -> delivered(scenario).size() == EVENTS);
    }
  }

  @Test
  void withoutNotificationsItWaitsForTheInterval() {
    try (Scenario scenario = Scenario.orderedByKeyOn(TestDatabase.POSTGRES)) {
      Outbox first = startNode(scenario, builder -> builder.notifications(false));
      Set<Object> looked = ConcurrentHashMap.newKeySet();
      LaneTap tap = new LaneTap(scenario.store);
      tap.lanes.on(
          "scan",
          call -> {
            Object page = call.proceed();
            looked.addAll((Set<?>) call.arguments()[1]);
            return page;
          });
      startNode(scenario, builder -> builder.notifications(false).outboxStore(tap.store()));
      await().until(() -> lanesOfEach(scenario), List.of(32, 32)::equals);
      await("the second node to have looked").until(() -> looked.size() >= 32);
      writeOn(first, scenario);

      await().until(() -> delivered(scenario).size() > EVENTS / 4);
      await()
          .during(Duration.ofSeconds(1))
          .until(() -> delivered(scenario).size() < EVENTS * 3 / 4);
      assertThat(listening(scenario)).isEmpty();
    }
  }

  @Test
  void aListeningConnectionThatBreaksIsReplacedWithoutAWord() {
    try (Scenario scenario = Scenario.orderedByKeyOn(TestDatabase.POSTGRES)) {
      Nodes nodes = startTwoNodes(scenario, DEFAULTS);
      await().atMost(LONG).until(() -> listening(scenario).size() == 2);
      await().pollDelay(Duration.ofSeconds(1)).until(() -> true); // they have heard themselves
      List<Object> before = listening(scenario);
      before.forEach(pid -> scenario.query("SELECT pg_terminate_backend(?)", pid));

      await()
          .atMost(LONG)
          .until(
              () -> listening(scenario),
              now -> now.size() == 2 && now.stream().noneMatch(before::contains));
      // On a slow machine one may break before it has heard itself: that is said until it has.
      await().atMost(LONG).until(() -> nodes.conditions().isEmpty());
    }
  }

  /** R18: it says nothing and breaks nothing, but hears nothing either. */
  @Test
  void R18_aListeningConnectionThatIsHalfOpenIsNoticedAndReplaced() throws Exception {
    try (Scenario scenario = Scenario.orderedByKeyOn(TestDatabase.POSTGRES);
        HalfOpen ways = new HalfOpen(scenario)) {
      Nodes nodes = startTwoNodes(scenario, builder -> builder.connectionProvider(ways));
      await().atMost(LONG).until(() -> listening(scenario).size() == 2);
      await().pollDelay(Duration.ofSeconds(1)).until(() -> true); // they have heard themselves
      int before = ways.opened.get();
      ways.freeze();

      await().atMost(LONG).until(() -> ways.opened.get() >= before + 2);
      // The server does not know that the old ones are of no use.
      await().atMost(LONG).until(() -> listening(scenario).size() >= 4);
      await().atMost(LONG).until(() -> nodes.conditions().isEmpty());
      writeOn(nodes.first, scenario);
      await().until(() -> delivered(scenario).size() == EVENTS);
    }
  }

  /** Connections that are kept go through a proxy, one for each; the others do not. */
  private static final class HalfOpen implements ConnectionProvider, AutoCloseable {
    private final Scenario scenario;
    private final URI server;
    private final AtomicInteger opened = new AtomicInteger();
    private final ThreadLocal<Connection> kept = new ThreadLocal<>();
    private volatile TcpProxy way;
    private TcpProxy frozen;

    HalfOpen(Scenario scenario) {
      this.scenario = scenario;
      this.server = URI.create(scenario.database.jdbcUrl().substring("jdbc:".length()));
      this.way = TcpProxy.to(server.getHost(), server.getPort());
    }

    /** All that go through it now; new ones find another way. */
    void freeze() {
      frozen = way;
      way = TcpProxy.to(server.getHost(), server.getPort());
      frozen.freeze();
    }

    @Override
    public Connection getConnection() throws SQLException {
      boolean listens = Thread.currentThread().getName().startsWith("outbox-listen-");
      if (!listens || (kept.get() != null && !kept.get().isClosed())) {
        return scenario.pool.getConnection();
      }
      String url =
          scenario
              .database
              .jdbcUrl()
              .replace(server.getHost() + ":" + server.getPort(), way.host() + ":" + way.port());
      Connection conn =
          DriverManager.getConnection(url, scenario.database.user(), scenario.database.password());
      kept.set(conn);
      opened.incrementAndGet();
      return conn;
    }

    @Override
    public void close() {
      way.close();
      if (frozen != null) {
        frozen.close();
      }
    }
  }

  /** The statement succeeds, on a session that is somebody else's afterwards. */
  @Test
  void deafAsThroughPgBouncerItLooksForNewEventsAndSaysSoOnce() {
    try (Scenario scenario = Scenario.orderedByKeyOn(TestDatabase.POSTGRES);
        LogRecords logs = new LogRecords()) {
      ConnectionProvider deaf = () -> withoutListen(scenario.pool.getConnection());
      Nodes nodes = startTwoNodes(scenario, builder -> builder.connectionProvider(deaf));
      writeOn(nodes.first, scenario);

      await().until(() -> delivered(scenario).size() == EVENTS);
      await()
          .atMost(LONG)
          .until(
              nodes::conditions,
              List.of(Condition.Kind.NO_NOTIFICATIONS, Condition.Kind.NO_NOTIFICATIONS)::equals);
      assertThat(nodes.first.conditions().get(0).message()).contains("PgBouncer");
      assertThat(nodes.first.conditions().get(0).kind().isFailure()).isFalse();
      writeOn(nodes.second, scenario);
      await().until(() -> scenario.deliveries.events().size() == 2 * EVENTS + 1);
      assertThat(logs.count("PgBouncer")).isEqualTo(2); // one for each node
    }
  }

  private static Connection withoutListen(Connection conn) {
    return proxy(
        Connection.class,
        conn,
        (method, result) ->
            method.equals("createStatement")
                ? proxy(Statement.class, (Statement) result, (name, answer) -> answer)
                : result);
  }

  private interface Change {
    Object of(String method, Object result);
  }

  private static <T> T proxy(Class<T> type, T target, Change change) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, args) -> {
              if (args != null && String.valueOf(args[0]).startsWith("LISTEN ")) {
                return false;
              }
              try {
                return change.of(method.getName(), method.invoke(target, args));
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }

  @Test
  void aPoolWithoutConnectionsToSpareKeepsThemAndLooksForNewEvents() {
    try (Scenario scenario = Scenario.orderedByKeyOn(TestDatabase.POSTGRES)) {
      HikariDataSource small = scenario.database.pooled(2);
      Nodes nodes =
          startTwoNodes(
              scenario,
              builder -> builder.connectionProvider(new DataSourceConnectionProvider(small)));
      writeOn(nodes.first, scenario);

      await().until(() -> delivered(scenario).size() == EVENTS);
      await()
          .atMost(LONG)
          .until(() -> nodes.conditions().contains(Condition.Kind.NO_NOTIFICATIONS));
      await().atMost(LONG).until(() -> listening(scenario).isEmpty());
    }
  }

  @EachWithoutNotifications
  void R17_onlyPostgresHasThem(TestDatabase kind) {
    try (Scenario scenario = Scenario.orderedByKeyOn(kind)) {
      assertThatThrownBy(() -> startNode(scenario, builder -> builder.notifications(true)))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("PostgreSQL");
      assertThat(scenario.deliveries.events()).isEmpty();
    }
  }
}
