package io.outbox.cdc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.Gson;
import com.google.gson.reflect.TypeToken;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.jdbc.tx.JdbcTransactionManager;
import io.outbox.jdbc.tx.ThreadLocalTxContext;
import io.outbox.purge.OutboxPurgeScheduler;
import io.outbox.spi.EventPurger;
import io.outbox.testdb.Database;
import io.outbox.testdb.DedicatedServer;
import io.outbox.testdb.TestDatabase;
import java.net.URI;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A documented connector carries what is committed to an outbox that only writes. */
@Timeout(300)
abstract class CdcContract {

  private static final int EVENTS = 1000;
  private static final int BEFORE = 100;

  private final TestDatabase kind;
  private final Map<String, String> serverSettings;
  private DedicatedServer server;
  Database database;
  DataSource dataSource;
  private JdbcTransactionManager transactions;
  Outbox outbox;

  @TempDir Path memory;

  CdcContract(TestDatabase kind, Map<String, String> serverSettings) {
    this.kind = kind;
    this.serverSettings = serverSettings;
  }

  /** Creates the table, and what the connector needs. */
  abstract void prepare() throws SQLException;

  abstract EventPurger purger();

  /** The file of the configuration. */
  abstract String file();

  abstract Map<String, String> place(URI server);

  @BeforeEach
  void start() throws SQLException {
    server = kind.dedicatedServer(serverSettings);
    database = server.fresh();
    dataSource = database.pooled(4);
    prepare();
    ThreadLocalTxContext txContext = new ThreadLocalTxContext();
    transactions =
        new JdbcTransactionManager(new DataSourceConnectionProvider(dataSource), txContext);
    outbox =
        Outbox.writerOnly()
            .txContext(txContext)
            .outboxStore(JdbcOutboxStores.detect(dataSource))
            .build();
  }

  @AfterEach
  void stop() {
    outbox.close();
    database.close();
    server.close();
  }

  @Test
  void whatIsCommittedArrivesOnceWhileOldEventsArePurged() throws Exception {
    Map<String, EventEnvelope> committed = new HashMap<>();
    write(events("before", BEFORE), committed); // in the table before there is a connector
    try (Connector connector = connector();
        OutboxPurgeScheduler purge = purgeEverySecond()) {
      connector.awaitCount(BEFORE);
      purge.start();
      for (List<EventEnvelope> batch : batches(events("event", EVENTS))) {
        write(batch, committed);
        rollBack(events("rolled back", 3));
      }
      Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> rows() == 0);
      EventEnvelope last = event("last", 0);
      write(List.of(last), committed);
      connector.await(last.eventId());

      assertThat(committed).hasSize(BEFORE + EVENTS + 1);
      assertThat(connector.messages()).hasSize(committed.size());
      Map<String, Message> byId =
          connector.messages().stream().collect(Collectors.toMap(Message::id, Function.identity()));
      assertThat(byId.keySet()).isEqualTo(committed.keySet());
      committed.values().forEach(event -> assertCarried(event, byId.get(event.eventId())));
    }
  }

  @Test
  void whatIsCommittedWhileTheConnectorIsDownArrivesLater() throws Exception {
    Map<String, EventEnvelope> committed = new HashMap<>();
    EventEnvelope first = event("first", 1);
    try (Connector connector = connector()) {
      write(List.of(first), committed);
      connector.await(first.eventId());
    }
    List<EventEnvelope> meanwhile = events("meanwhile", 20);
    write(meanwhile, committed);
    purgeEverySecond().runOnce(); // the log has them
    assertThat(rows()).isZero();
    try (Connector connector = connector()) {
      EventEnvelope last = event("last", 1);
      write(List.of(last), committed);
      connector.await(last.eventId());
      List<String> ids = connector.messages().stream().map(Message::id).toList();
      // at least once: the connector may not have remembered that the first was sent
      assertThat(ids)
          .containsAll(meanwhile.stream().map(EventEnvelope::eventId).toList())
          .doesNotHaveDuplicates();
    }
  }

  /** What an event does not have: no message fails for it, and this is what it looks like. */
  @Test
  void anEventWithoutAnAggregateArrivesWithoutAKey() throws Exception {
    try (Connector connector = connector()) {
      EventEnvelope bare = EventEnvelope.ofJson("Greeted", "{\"hello\":\"world\"}");
      write(List.of(bare), new HashMap<>());
      Message message = connector.await(bare.eventId());
      assertThat(message.topic()).isEqualTo("outbox.__GLOBAL__");
      assertThat(message.key()).isNull();
      assertThat(message.headers())
          .containsEntry("outbox-event-type", "Greeted")
          .doesNotContainKeys("outbox-headers", "outbox-tenant-id", "outbox-aggregate-id");
      assertThat(message.text()).isEqualTo("{\"hello\":\"world\"}");
    }
  }

  @Test
  void anEventWithBytesArrivesWithoutAValue() throws Exception {
    try (Connector connector = connector()) {
      EventEnvelope event =
          EventEnvelope.builder("Greeted").payloadBytes(new byte[] {1}, "image/png").build();
      write(List.of(event), new HashMap<>());
      assertThat(connector.await(event.eventId()).value()).isNull();
    }
  }

  @Test
  void anEventIsNotDelayed() throws Exception {
    try (Connector connector = connector()) {
      EventEnvelope tomorrow =
          EventEnvelope.builder("Reminder")
              .payloadJson("{}")
              .deliverAfter(Duration.ofDays(1))
              .build();
      write(List.of(tomorrow), new HashMap<>());
      assertThat(connector.await(tomorrow.eventId()).text()).isEqualTo("{}");
    }
  }

  private static void assertCarried(EventEnvelope event, Message message) {
    assertThat(message.topic()).isEqualTo("outbox." + event.aggregateType());
    assertThat(message.key()).isEqualTo(event.aggregateId());
    assertThat(message.text()).isEqualTo(event.payloadJson());
    Map<String, String> headers = message.headers();
    assertThat(headers)
        .containsEntry("id", event.eventId())
        .containsEntry("outbox-event-id", event.eventId())
        .containsEntry("outbox-event-type", event.eventType())
        .containsEntry("outbox-aggregate-type", event.aggregateType())
        .containsEntry("outbox-aggregate-id", event.aggregateId())
        .containsEntry("outbox-tenant-id", event.tenantId());
    assertThat(OffsetDateTime.parse(headers.get("outbox-occurred-at")).toInstant())
        .isEqualTo(event.occurredAt().truncatedTo(ChronoUnit.MICROS));
    Map<String, String> own =
        new Gson()
            .fromJson(
                headers.get("outbox-headers"), new TypeToken<Map<String, String>>() {}.getType());
    assertThat(own).isEqualTo(event.headers());
  }

  private Connector connector() {
    return connector(Map.of());
  }

  /** With settings that differ from the file. */
  Connector connector(Map<String, String> differences) {
    URI address = URI.create(database.jdbcUrl().substring("jdbc:".length()));
    Map<String, String> place = new HashMap<>();
    place.put("database.hostname", address.getHost());
    place.put("database.port", Integer.toString(address.getPort()));
    place.put("database.user", database.user());
    place.put("database.password", database.password());
    place.putAll(place(address));
    place.putAll(differences);
    return new Connector(file(), place, memory);
  }

  private OutboxPurgeScheduler purgeEverySecond() {
    return OutboxPurgeScheduler.builder()
        .connectionProvider(dataSource::getConnection)
        .purger(purger())
        .retention(Duration.ZERO)
        .intervalSeconds(1)
        .batchSize(200)
        .build();
  }

  void write(List<EventEnvelope> events, Map<String, EventEnvelope> committed) {
    attempt(() -> transactions.run(tx -> outbox.writer().writeAll(events)));
    events.forEach(event -> committed.put(event.eventId(), event));
  }

  private void rollBack(List<EventEnvelope> events) {
    attempt(
        () -> {
          try (var tx = transactions.begin()) {
            outbox.writer().writeAll(events);
            tx.rollback();
          }
        });
  }

  /** Runs a transaction. */
  void attempt(Runnable transaction) {
    transaction.run();
  }

  private static List<List<EventEnvelope>> batches(List<EventEnvelope> events) {
    List<List<EventEnvelope>> batches = new ArrayList<>();
    for (int from = 0; from < events.size(); ) {
      int to = Math.min(events.size(), from + 1 + from % 40);
      batches.add(events.subList(from, to));
      from = to;
    }
    return batches;
  }

  private static List<EventEnvelope> events(String name, int count) {
    return IntStream.range(0, count).mapToObj(i -> event(name, i)).toList();
  }

  static EventEnvelope event(String name, int number) {
    return EventEnvelope.builder("OrderPlaced" + number % 3)
        .aggregateType(number % 2 == 0 ? "Order" : "Customer")
        .aggregateId("A-" + number % 17)
        .tenantId("acme")
        .header("traceparent", "00-" + number)
        .header("note", "Grüße, \"quoted\" \uD83D\uDE00")
        .payloadJson(payload(name, number))
        .build();
  }

  /** Whitespace, the order of keys, numbers as they were written, and some big ones. */
  private static String payload(String name, int number) {
    String filler = "x".repeat(number % 100 == 0 ? 100_000 : number % 50);
    return "{ \"z\": %d, \"a\":1.50e3,  \"name\":\"%s ü \uD83D\uDE00\",\"filler\":\"%s\" }"
        .formatted(number, name, filler);
  }

  long rows() throws SQLException {
    try (Connection conn = dataSource.getConnection();
        Statement statement = conn.createStatement();
        ResultSet rows = statement.executeQuery("SELECT count(*) FROM outbox_event")) {
      rows.next();
      return rows.getLong(1);
    }
  }

  void execute(String sql) throws SQLException {
    try (Connection conn = dataSource.getConnection();
        Statement statement = conn.createStatement()) {
      statement.execute(sql);
    }
  }
}
