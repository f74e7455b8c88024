package io.outbox.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.model.EventStatus;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.Backlog;
import io.outbox.testing.InMemoryDatabase;
import io.outbox.testing.InMemoryOutboxStore;
import io.outbox.testing.RecordingListener;
import io.outbox.testing.StubTxContext;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MicrometerMetricsExporterTest {

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

  @ParameterizedTest
  @ValueSource(strings = {"outbox", "orders.outbox"})
  void everyMeterOfTheSpecificationHasItsName(String prefix) {
    new MicrometerMetricsExporter(registry, prefix);
    for (String name :
        List.of(
            "enqueue.hot",
            "enqueue.hot.dropped",
            "enqueue.cold",
            "dispatch.success",
            "dispatch.failure",
            "dispatch.dead",
            "dispatch.deferred",
            "enqueue.hot.skipped.delayed")) {
      assertThat(registry.find(prefix + "." + name).counter()).as(name).isNotNull();
    }
    for (String name : List.of("queue.hot.depth", "queue.cold.depth", "lag.oldest.ms")) {
      assertThat(registry.find(prefix + "." + name).gauge()).as(name).isNotNull();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"orders.outbox.", "orders.outbox.."})
  void aPrefixMayEndInADot(String prefix) {
    new MicrometerMetricsExporter(registry, prefix);

    assertThat(registry.find("orders.outbox.enqueue.hot").counter()).isNotNull();
    assertThat(registry.getMeters())
        .allSatisfy(meter -> assertThat(meter.getId().getName()).doesNotContain(".."));
  }

  @Test
  void aPrefixOfDotsAloneIsBlank() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new MicrometerMetricsExporter(registry, "."));
  }

  @Test
  void anExporterThatIsMadeAgainReportsTheGaugesOfTheNewOutbox() {
    var tags = Tags.of("table", "orders");
    registry.config().commonTags("application", "shop");
    var old = new MicrometerMetricsExporter(registry, "outbox", tags);
    old.recordQueueDepths(7, 7);
    old.incrementDispatchSuccess();
    var made = new MicrometerMetricsExporter(registry, "outbox", tags);
    made.recordQueueDepths(1, 2);
    made.incrementDispatchSuccess();

    assertThat(registry.get("outbox.queue.hot.depth").gauge().value()).isEqualTo(1);
    assertThat(registry.get("outbox.queue.cold.depth").gauge().value()).isEqualTo(2);
    assertThat(registry.get("outbox.dispatch.success").counter().count()).isEqualTo(2);
  }

  @Test
  void tagsTellTheOutboxesOfOneRegistryApart() {
    var orders = new MicrometerMetricsExporter(registry, "outbox", Tags.of("table", "orders"));
    var users = new MicrometerMetricsExporter(registry, "outbox", Tags.of("table", "users"));
    orders.incrementDispatchSuccess();
    users.recordQueueDepths(1, 2);

    assertThat(registry.get("outbox.dispatch.success").tag("table", "orders").counter().count())
        .isEqualTo(1);
    assertThat(registry.get("outbox.dispatch.success").tag("table", "users").counter().count())
        .isZero();
    assertThat(registry.get("outbox.queue.cold.depth").tag("table", "users").gauge().value())
        .isEqualTo(2);
    assertThat(registry.getMeters()).allMatch(meter -> meter.getId().getTag("table") != null);
  }

  @Test
  void whatIsReportedCanBeRead() {
    MicrometerMetricsExporter exporter = new MicrometerMetricsExporter(registry);
    exporter.incrementHotEnqueued();
    exporter.incrementHotDropped();
    exporter.incrementHotSkippedDelayed();
    exporter.incrementHotSkippedPaused();
    exporter.incrementHotSkippedOutage();
    exporter.incrementDispatchHeldBack();
    exporter.incrementColdEnqueued();
    exporter.incrementDispatchSuccess();
    exporter.incrementDispatchFailure();
    exporter.incrementDispatchDead();
    exporter.incrementDispatchDeferred();
    exporter.recordQueueDepths(3, 4);
    exporter.recordOldestLagMs(5);
    exporter.recordCommitToListener(1_000_000);
    exporter.recordDueToListener(-1);
    exporter.recordListenerDuration(2_000_000);
    exporter.recordFailedAttempts(2);
    exporter.recordLanesOwned(32);
    exporter.recordLanesTaken(1);
    exporter.recordParkedKeys(6);
    exporter.recordBlockedKeys(9);
    exporter.recordWaitingForListeners(11);
    exporter.recordUnavailableListeners(2);
    exporter.recordUnavailableDestinations(8);
    exporter.recordDeliveryPauses(3);
    exporter.recordSecondProcesses(1);
    exporter.recordMissingListeners(4);
    exporter.recordBacklog(
        new Backlog(
            Map.of(EventStatus.NEW, 7L, EventStatus.RETRY, 1L, EventStatus.DEAD, 2L), 100, null));

    registry.getMeters().stream()
        .filter(meter -> meter.getId().getType() == Meter.Type.COUNTER)
        .forEach(meter -> assertThat(value(meter)).as(meter.getId().getName()).isEqualTo(1));
    assertThat(gauge("queue.hot.depth")).isEqualTo(3);
    assertThat(gauge("queue.cold.depth")).isEqualTo(4);
    assertThat(gauge("lag.oldest.ms")).isEqualTo(5);
    assertThat(gauge("events.pending")).isEqualTo(8);
    assertThat(gauge("events.dead")).isEqualTo(2);
    assertThat(gauge("lanes.owned")).isEqualTo(32);
    assertThat(gauge("keys.parked")).isEqualTo(6);
    assertThat(gauge("keys.blocked")).isEqualTo(9);
    assertThat(gauge("listeners.waiting")).isEqualTo(11);
    assertThat(gauge("listeners.unavailable")).isEqualTo(2);
    assertThat(gauge("destinations.unavailable")).isEqualTo(8);
    assertThat(gauge("nodes.second")).isEqualTo(1);
    assertThat(gauge("listeners.missing")).isEqualTo(4);
    assertThat(gauge("delivery.pauses")).isEqualTo(3);
    assertThat(registry.get("outbox.delivery.hot").timer().totalTime(TimeUnit.MILLISECONDS))
        .isEqualTo(1);
    assertThat(registry.get("outbox.delivery.cold").timer().count()).isEqualTo(1);
    assertThat(registry.get("outbox.listener.duration").timer().max(TimeUnit.MILLISECONDS))
        .isEqualTo(2);
    assertThat(registry.get("outbox.attempts.failed").summary().max()).isEqualTo(2);
  }

  @Test
  void noMeterHasTagsOrAHistogram() {
    new MicrometerMetricsExporter(registry);
    assertThat(registry.getMeters())
        .isNotEmpty()
        .allSatisfy(meter -> assertThat(meter.getId().getTags()).isEmpty());
    assertThat(registry.get("outbox.listener.duration").timer().takeSnapshot().histogramCounts())
        .isEmpty();
  }

  @Test
  void aBlankPrefixIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new MicrometerMetricsExporter(registry, " "))
        .withMessageContaining("namePrefix");
  }

  @Test
  void anOutboxReportsItsDeliveries() {
    InMemoryDatabase database = new InMemoryDatabase();
    StubTxContext tx = new StubTxContext(database);
    RecordingListener listener = new RecordingListener().failNext(1);
    try (Outbox outbox =
        Outbox.singleNode()
            .connectionProvider(database)
            .txContext(tx)
            .outboxStore(new InMemoryOutboxStore(database))
            .listenerRegistry(new DefaultListenerRegistry().registerDefault(listener))
            .metrics(new MicrometerMetricsExporter(registry))
            .build()) {
      tx.inTransaction(() -> outbox.writer().write(EventEnvelope.ofJson("Measured", "{}")));
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> registry.get("outbox.dispatch.success").counter().count() == 1);
    }
    assertThat(registry.get("outbox.enqueue.hot").counter().count()).isEqualTo(1);
    assertThat(registry.get("outbox.enqueue.cold").counter().count()).isEqualTo(1);
    assertThat(registry.get("outbox.dispatch.failure").counter().count()).isEqualTo(1);
    assertThat(registry.get("outbox.delivery.hot").timer().count()).isEqualTo(1);
    assertThat(registry.get("outbox.delivery.cold").timer().count()).isEqualTo(1);
    assertThat(registry.get("outbox.listener.duration").timer().count()).isEqualTo(2);
    assertThat(registry.get("outbox.attempts.failed").summary().totalAmount()).isEqualTo(1);
  }

  private double gauge(String name) {
    return registry.get("outbox." + name).gauge().value();
  }

  private static double value(Meter meter) {
    return meter.measure().iterator().next().getValue();
  }
}
