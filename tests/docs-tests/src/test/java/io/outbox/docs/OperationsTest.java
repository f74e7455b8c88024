package io.outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.outbox.Outbox;
import io.outbox.UnrecoverableException;
import io.outbox.dead.DeadEventManager;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.archive.ArchiveReplay;
import io.outbox.jdbc.archive.ArchivingPurger;
import io.outbox.jdbc.archive.EventArchive;
import io.outbox.jdbc.purge.H2EventPurger;
import io.outbox.micrometer.MicrometerMetricsExporter;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.operate.EventFilter;
import io.outbox.operate.EventPage;
import io.outbox.purge.OutboxPurgeScheduler;
import io.outbox.spi.EventPurger;
import io.outbox.spi.MetricsExporter;
import io.outbox.testing.Await;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Dead events, purging, metrics. */
class OperationsTest extends DocsDatabase {

  @Test
  void deadEventsAreReportedFoundAndReplayed() throws Exception {
    List<String> alarms = Collections.synchronizedList(new ArrayList<>());
    listeners.register(
        "OrderPlaced", listener.failNext(1, () -> new UnrecoverableException("a bug")));

    // snippet: on-dead
    Outbox outbox =
        singleNode().onDead((event, reason) -> alarms.add(event.eventId() + ": " + reason)).build();
    // end

    try (outbox) {
      String eventId = transactions.call(tx -> outbox.writer().write("OrderPlaced", "{}"));
      awaitEvents(EventStatus.DEAD, 1);

      // snippet: replay
      DeadEventManager deadEvents = new DeadEventManager(connectionProvider, store);

      int count = deadEvents.count("OrderPlaced"); // null: of every type
      List<OutboxEvent> oldest = deadEvents.query("OrderPlaced", null, 100);
      String error = oldest.get(0).lastError();

      boolean replayed = deadEvents.replay(eventId); // one
      int others = deadEvents.replayAll("OrderPlaced", null, 100); // all, 100 in a transaction
      // end

      awaitEvents(EventStatus.DONE, 1);
      assertThat(count).isOne();
      assertThat(error).contains("a bug");
      assertThat(replayed).isTrue();
      assertThat(others).isZero();
      Await.until("onDead, on another thread", Duration.ofMinutes(1), () -> !alarms.isEmpty());
      assertThat(alarms).singleElement().asString().startsWith(eventId).contains("a bug");
    }
    assertThat(listener.count()).isEqualTo(2);
  }

  @Test
  void finishedEventsArePurged() throws Exception {
    listeners.register("OrderPlaced", listener);

    // snippet: purge
    Outbox outbox =
        singleNode()
            .purger(new H2EventPurger()) // or PostgresEventPurger, MySqlEventPurger
            .purgeRetention(Duration.ofDays(3))
            .purgeIntervalSeconds(600)
            .build();
    // end

    try (outbox) {
      transactions.run(tx -> outbox.writer().write("OrderPlaced", "{}"));
      awaitEvents(EventStatus.DONE, 1);
    }

    // snippet: purge-once
    try (OutboxPurgeScheduler purge =
        OutboxPurgeScheduler.builder()
            .connectionProvider(connectionProvider)
            .purger(new H2EventPurger())
            .retention(Duration.ZERO)
            .build()) {
      purge.runOnce(); // on this thread, until nothing old is left
    }
    // end
    assertThat(count("outbox_event")).isZero();
  }

  @Test
  void finishedEventsAreArchivedFoundAndReplayed() throws Exception {
    listeners.register("OrderPlaced", listener);

    // snippet: archive
    OutboxSchema.createArchive(dataSource, "outbox_event");
    Outbox outbox =
        singleNode()
            .purger(ArchivingPurger.toTable("outbox_event")) // instead of H2EventPurger and others
            .purgeRetention(Duration.ofDays(3))
            .build();
    // end

    try (outbox) {
      transactions.run(tx -> outbox.writer().write("OrderPlaced", "{}"));
      awaitEvents(EventStatus.DONE, 1);
      purgeAll(ArchivingPurger.toTable("outbox_event"));
      assertThat(count("outbox_event")).isZero();
      Instant monday = Instant.now().minusSeconds(3600);

      // snippet: archive-replay
      EventArchive archive = EventArchive.ofTable(connectionProvider, store);
      EventFilter orders =
          EventFilter.builder().eventType("OrderPlaced").createdFrom(monday).build();

      EventPage page = archive.search(orders, null, 100); // then with page.next()
      String eventId = page.events().get(0).eventId();
      String payload = archive.find(eventId).orElseThrow().payloadJson();

      ArchiveReplay done = archive.as("ada").replay(orders); // or replay(eventId)
      // end

      assertThat(page.events()).hasSize(1);
      assertThat(payload).isEqualTo("{}");
      assertThat(done.replayed()).isOne();
      awaitEvents(EventStatus.DONE, 1);
    }
    assertThat(listener.count()).isEqualTo(2);
  }

  @Test
  void finishedEventsAreArchivedInFiles(@TempDir Path directory) throws Exception {
    listeners.register("OrderPlaced", listener);
    try (Outbox outbox = singleNode().build()) {
      transactions.run(tx -> outbox.writer().write("OrderPlaced", "{}"));
      awaitEvents(EventStatus.DONE, 1);
    }

    // snippet: archive-files
    EventPurger toFiles = ArchivingPurger.toFiles("outbox_event", directory);
    EventArchive files = EventArchive.ofFiles(connectionProvider, store, directory);
    // end

    purgeAll(toFiles);
    assertThat(count("outbox_event")).isZero();
    assertThat(files.search(EventFilter.ALL, null, 10).events()).hasSize(1);
  }

  private void purgeAll(EventPurger purger) {
    try (OutboxPurgeScheduler purge =
        OutboxPurgeScheduler.builder()
            .connectionProvider(connectionProvider)
            .purger(purger)
            .retention(Duration.ZERO)
            .build()) {
      purge.runOnce();
    }
  }

  @Test
  void deliveredEventsAreDeleted() throws Exception {
    listeners.register("OrderPlaced", listener);

    // snippet: delete-on-done
    Outbox outbox = singleNode().deleteOnDone(true).build();
    // end

    try (outbox) {
      transactions.run(tx -> outbox.writer().write("OrderPlaced", "{}"));
    }
    assertThat(listener.count()).isOne();
    assertThat(count("outbox_event")).isZero();
  }

  @Test
  void eventsAreCountedByStatus() throws Exception {
    listeners.register("OrderPlaced", listener);
    try (Outbox outbox = singleNode().build()) {
      transactions.run(tx -> outbox.writer().write("OrderPlaced", "{}"));
    }
    String sql =
        """
        -- snippet: counts
        SELECT status, count(*), min(created_at) FROM outbox_event GROUP BY status
        -- end
        """;
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      assertThat(rows.next()).isTrue();
      assertThat(rows.getInt(1)).isEqualTo(EventStatus.DONE.code());
      assertThat(rows.getInt(2)).isOne();
    }
  }

  // snippet: metrics
  static class DeadCounter extends MetricsExporter.Noop {
    final AtomicLong dead = new AtomicLong();

    @Override
    public void incrementDispatchDead() {
      dead.incrementAndGet();
    }
  }

  // end

  @Test
  void metricsAreExported() throws Exception {
    listeners.register(
        "OrderPlaced", listener.failNext(1, () -> new UnrecoverableException("a bug")));

    // snippet: metrics
    DeadCounter counter = new DeadCounter();
    Outbox outbox = singleNode().metrics(counter).build();
    // end

    try (outbox) {
      transactions.run(tx -> outbox.writer().write("OrderPlaced", "{}"));
      awaitEvents(EventStatus.DEAD, 1);
    }
    assertThat(counter.dead).hasValue(1);
  }

  @Test
  void metricsGoToMicrometer() throws Exception {
    MeterRegistry registry = new SimpleMeterRegistry();
    listeners.register("OrderPlaced", listener);

    // snippet: micrometer
    Outbox outbox = singleNode().metrics(new MicrometerMetricsExporter(registry)).build();
    // end

    try (outbox) {
      transactions.run(tx -> outbox.writer().write("OrderPlaced", "{}"));
      awaitEvents(EventStatus.DONE, 1);
    }
    assertThat(registry.get("outbox.dispatch.success").counter().count()).isEqualTo(1);
    assertThat(registry.getMeters())
        .allSatisfy(
            meter ->
                assertThat(Texts.read(Texts.page("docs/reference.md")))
                    .contains("`" + meter.getId().getName().substring("outbox.".length()) + "`"));
  }
}
