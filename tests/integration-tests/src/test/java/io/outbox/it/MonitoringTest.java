package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.OutageException;
import io.outbox.Outbox;
import io.outbox.micrometer.MicrometerMetricsExporter;
import io.outbox.model.EventStatus;
import io.outbox.operate.OutboxOperator;
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

      operator.resume(null, Scenario.TYPE);
      awaitAlerts();
      scenario.awaitAllDone(1);
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
