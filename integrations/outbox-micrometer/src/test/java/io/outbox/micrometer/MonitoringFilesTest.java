package io.outbox.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The dashboard and the alert rules of the docs speak of metrics that exist. */
class MonitoringFilesTest {

  private static final Pattern METRIC = Pattern.compile("\\boutbox_[a-z_]+");

  @ParameterizedTest
  @ValueSource(strings = {"grafana-dashboard.json", "prometheus-alerts.yml"})
  void everyMetricOfTheFileIsExported(String file) throws IOException {
    Set<String> used = metricsIn(Files.readString(Path.of("../../docs/monitoring", file)));
    assertThat(used).hasSizeGreaterThan(3);
    assertThat(exported()).containsAll(used);
  }

  private static Set<String> exported() {
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    MicrometerMetricsExporter exporter = new MicrometerMetricsExporter(registry);
    exporter.recordCommitToListener(1);
    exporter.recordDueToListener(1);
    exporter.recordListenerDuration(1);
    exporter.recordFailedAttempts(1);
    return metricsIn(registry.scrape());
  }

  private static Set<String> metricsIn(String text) {
    Set<String> names = new TreeSet<>();
    Matcher matcher = METRIC.matcher(text);
    while (matcher.find()) {
      names.add(matcher.group());
    }
    return names;
  }
}
