package io.outbox.spring.boot.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import io.outbox.micrometer.MicrometerMetricsExporter;
import io.outbox.model.EventStatus;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.MetricsExporter;
import io.outbox.testing.Await;
import io.outbox.testing.RecordingMetrics;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

class MetricsTest {

  private final ApplicationContextRunner runner =
      Outboxes.runner()
          .withConfiguration(AutoConfigurations.of(Boot.METRICS))
          .withBean(
              "registry",
              DefaultListenerRegistry.class,
              () -> new DefaultListenerRegistry().registerDefault(event -> null));

  private static double counted(ApplicationContext context, String name) {
    return context.getBean(MeterRegistry.class).get(name).counter().count();
  }

  private static void deliverOne(ApplicationContext context) {
    Outboxes.write(context, "OrderPlaced", "{}");
    Outboxes.awaitCounts(context, Map.of(EventStatus.DONE, 1));
  }

  @Test
  void deliveriesAreCountedInTheRegistryOfTheApplication() {
    runner.run(
        context -> {
          deliverOne(context);
          Await.until(
              "the counter", Outboxes.SOON, () -> counted(context, "outbox.dispatch.success") == 1);
          // the poller may have been faster
          assertThat(
                  counted(context, "outbox.enqueue.hot") + counted(context, "outbox.enqueue.cold"))
              .isOne();
        });
  }

  @Test
  void theNamesMayBeginOtherwise() {
    runner
        .withPropertyValues("outbox.metrics.name-prefix=shop.outbox")
        .run(
            context -> {
              deliverOne(context);
              Await.until(
                  "the counter",
                  Outboxes.SOON,
                  () -> counted(context, "shop.outbox.dispatch.success") == 1);
            });
  }

  @Test
  void metricsCanBeSwitchedOff() {
    runner
        .withPropertyValues("outbox.metrics.enabled=false")
        .run(context -> assertThat(context).doesNotHaveBean(MetricsExporter.class));
    runner
        .withPropertyValues("outbox.enabled=false")
        .run(context -> assertThat(context).doesNotHaveBean(MetricsExporter.class));
  }

  @Test
  void withoutTheModuleOrARegistryThereAreNone() {
    runner
        .withClassLoader(new FilteredClassLoader(MicrometerMetricsExporter.class))
        .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(MetricsExporter.class));
    Outboxes.runner()
        .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(MetricsExporter.class));
  }

  @Test
  void anExporterOfTheApplicationsOwnIsUsed() {
    runner
        .withBean("own", MetricsExporter.class, RecordingMetrics::new)
        .run(
            context -> {
              assertThat(context).hasSingleBean(MetricsExporter.class);
              deliverOne(context);
            });
  }
}
