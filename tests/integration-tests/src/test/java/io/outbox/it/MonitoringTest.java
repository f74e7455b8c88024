package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.OutageException;
import io.outbox.Outbox;
import io.outbox.micrometer.MicrometerMetricsExporter;
import io.outbox.model.EventStatus;
import io.outbox.operate.OutboxOperator;
import io.outbox.publish.Addressed;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.testdb.TestDatabase;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the alerts of the docs say while something is wrong, from a real registry. */
@Timeout(300)
class MonitoringTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Alerts alerts = new Alerts();
  private final Dashboard dashboard = new Dashboard();
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final MicrometerMetricsExporter metrics = new MicrometerMetricsExporter(registry);

  private double value(String metric) {
    return Alerts.value(registry.scrape(), metric);
  }

  private void awaitAlerts(String... names) {
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(alerts.firing(registry)).containsExactly(names));
  }

  /** As if an hour had passed; then the lag shows beside its cause. */
  private void awaitLag(Scenario scenario, String cause, String panel) {
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              scenario.update(
                  "UPDATE outbox_event SET waiting_since = TIMESTAMP '2020-01-01 00:00:00'"
                      + " WHERE waiting_since IS NOT NULL");
              scenario.update(
                  "UPDATE outbox_event SET available_at = TIMESTAMP '2020-01-01 00:00:00'"
                      + " WHERE waiting_since IS NULL AND status = 0");
              assertThat(alerts.firing(registry)).containsExactly("OutboxLagging", cause);
              assertThat(dashboard.shown(registry))
                  .containsEntry(panel, 1.0)
                  .hasEntrySatisfying(
                      "Oldest waiting event",
                      lag -> assertThat(lag).isGreaterThan(Duration.ofDays(1).toMillis()));
            });
  }

  private static void write(Scenario scenario, Outbox outbox, EventEnvelope event) {
    scenario.write(outbox.writer(), event);
  }

  @Test
  void R24_anOutageIsAnOutageAndNoFullQueue() {
    AtomicBoolean down = new AtomicBoolean(true);
    try (Scenario scenario = Scenario.on(TestDatabase.H2)) {
      scenario.registry.register(
          "Sent",
          event -> {
            if (down.get()) {
              throw new OutageException("no broker");
            }
            return DispatchResult.done();
          });
      Outbox outbox = scenario.start(scenario.singleNode().metrics(metrics));
      await()
          .atMost(PATIENCE)
          .until(
              () -> {
                write(scenario, outbox, EventEnvelope.ofJson("Sent", "{}"));
                return value("outbox_enqueue_hot_skipped_outage_total") > 0;
              });
      awaitAlerts("OutboxListenerDown");
      await().atMost(PATIENCE).until(() -> value("outbox_dispatch_heldback_total") > 0);
      assertThat(value("outbox_enqueue_hot_dropped_total")).isZero();
      assertThat(value("outbox_enqueue_hot_skipped_paused_total")).isZero();
      assertThat(value("outbox_dispatch_deferred_total")).isZero();
      awaitLag(scenario, "OutboxListenerDown", "Listeners and destinations down");

      down.set(false);
      awaitAlerts();
    }
  }

  @Test
  void R24_aPauseIsAPauseAndNoFullQueue() {
    try (Scenario scenario = Scenario.on(TestDatabase.H2)) {
      OutboxOperator operator = OutboxOperator.of(scenario.connections, scenario.store);
      operator.pause(null, Scenario.TYPE, "repairs");
      Outbox outbox = scenario.start(scenario.singleNode().metrics(metrics));
      awaitAlerts("OutboxPaused");
      write(scenario, outbox, Scenario.event());
      assertThat(value("outbox_enqueue_hot_skipped_paused_total")).isEqualTo(1);
      assertThat(value("outbox_enqueue_hot_dropped_total")).isZero();
      assertThat(value("outbox_enqueue_hot_skipped_outage_total")).isZero();
      awaitLag(scenario, "OutboxPaused", "Pauses");

      operator.resume(null, Scenario.TYPE);
      awaitAlerts();
      scenario.awaitAllDone(1);
    }
  }

  /** Publishes to topics, which are the tenants of the events. */
  private static final class Topics implements EventListener, Addressed {
    private final AtomicBoolean missing = new AtomicBoolean(true);

    @Override
    public String destinationOf(EventEnvelope event) {
      return event.tenantId();
    }

    @Override
    public DispatchResult onEvent(EventEnvelope event) {
      if (missing.get()) {
        throw OutageException.ofDestination(event.tenantId(), "there is no such topic", null);
      }
      return DispatchResult.done();
    }
  }

  @Test
  void R25_aMissingDestinationIsToldByTheMetrics() {
    Topics topics = new Topics();
    try (Scenario scenario = Scenario.on(TestDatabase.H2)) {
      scenario.registry.register("Sent", topics);
      Outbox outbox = scenario.start(scenario.singleNode().metrics(metrics));
      write(
          scenario,
          outbox,
          EventEnvelope.builder("Sent").tenantId("typo").payloadJson("{}").build());
      awaitAlerts("OutboxDestinationMissing");
      awaitLag(scenario, "OutboxDestinationMissing", "Listeners and destinations down");

      topics.missing.set(false);
      awaitAlerts();
    }
  }

  @Test
  void R25_aTypeWithoutAListenerIsToldByTheMetrics() {
    try (Scenario scenario = Scenario.on(TestDatabase.H2)) {
      DefaultListenerRegistry none = new DefaultListenerRegistry();
      Outbox outbox =
          scenario.start(
              scenario.multiNode(Duration.ofMinutes(1)).listenerRegistry(none).metrics(metrics));
      write(scenario, outbox, EventEnvelope.ofJson("Unknown", "{}"));
      awaitAlerts("OutboxNoListener");
      assertThat(dashboard.shown(registry)).containsEntry("Types without a listener", 1.0);

      none.register("Unknown", event -> DispatchResult.done());
      awaitAlerts();
    }
  }

  @Test
  void R22_aSecondProcessIsToldByTheMetrics() {
    try (Scenario scenario = Scenario.on(TestDatabase.H2)) {
      scenario.start(scenario.singleNode().metrics(metrics));
      awaitAlerts();
      Outbox second = scenario.singleNode().build();
      try {
        awaitAlerts("OutboxSecondProcess");
      } finally {
        second.close();
      }
      awaitAlerts();
    }
  }

  @Test
  void blockedKeysAreToldByTheMetrics() {
    try (Scenario scenario = Scenario.orderedByKeyOn(TestDatabase.H2)) {
      scenario.registry.register("Bad", event -> DispatchResult.dead("bad"));
      Outbox outbox =
          scenario.start(scenario.orderedByKey().blockAfterDead().metrics(metrics).intervalMs(50));
      write(
          scenario,
          outbox,
          EventEnvelope.builder("Bad").orderingKey("k").payloadJson("{}").build());
      await().atMost(PATIENCE).until(() -> scenario.count(EventStatus.DEAD) == 1);
      await()
          .atMost(PATIENCE)
          .untilAsserted(() -> assertThat(alerts.firing(registry)).contains("OutboxKeysBlocked"));
    }
  }
}
