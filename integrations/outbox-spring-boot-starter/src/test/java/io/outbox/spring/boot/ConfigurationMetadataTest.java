package io.outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.outbox.wiring.Settings;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What an IDE shows to those who write application.properties. */
class ConfigurationMetadataTest {

  private final Map<String, JsonNode> properties = new TreeMap<>();
  private JsonNode metadata;

  @BeforeEach
  void read() throws IOException {
    try (InputStream in =
        OutboxProperties.class.getResourceAsStream(
            "/META-INF/spring-configuration-metadata.json")) {
      metadata = new ObjectMapper().readTree(in);
    }
    metadata.get("properties").forEach(p -> properties.put(p.get("name").asText(), p));
  }

  @Test
  void everyPropertyIsDescribed() {
    assertThat(properties).hasSizeGreaterThan(25);
    assertThat(properties)
        .allSatisfy(
            (name, property) -> {
              assertThat(property.path("description").asText()).isNotBlank().endsWith(".");
              assertThat(name).matches("(management\\.(health|endpoint)\\.)?outbox\\.[a-z.-]+");
            });
  }

  @Test
  void thePropertiesOfTheSpecificationAreThere() {
    assertThat(properties)
        .containsKeys(
            "outbox.mode",
            "outbox.table-name",
            "outbox.datasource",
            "outbox.dispatcher.worker-count",
            "outbox.dispatcher.hot-queue-capacity",
            "outbox.dispatcher.cold-queue-capacity",
            "outbox.dispatcher.max-queued-bytes",
            "outbox.dispatcher.drain-timeout-ms",
            "outbox.retry.max-attempts",
            "outbox.retry.base-delay-ms",
            "outbox.retry.max-delay-ms",
            "outbox.poller.interval-ms",
            "outbox.poller.batch-size",
            "outbox.poller.skip-recent-ms",
            "outbox.claim-locking.enabled",
            "outbox.claim-locking.owner-id",
            "outbox.claim-locking.lock-timeout",
            "outbox.purge.enabled",
            "outbox.purge.retention",
            "outbox.purge.batch-size",
            "outbox.purge.interval-seconds",
            "outbox.metrics.enabled",
            "outbox.metrics.name-prefix",
            "outbox.schema.initialize",
            "outbox.schema.validate");
  }

  @Test
  void theValuesOfEnumsAreOffered() {
    assertThat(hints("outbox.mode"))
        .containsExactly("single-node", "multi-node", "ordered", "ordered-by-key", "writer-only")
        .hasSameSizeAs(Settings.Mode.values());
    assertThat(hints("outbox.ordered-by-key.after-dead"))
        .containsExactly("continue", "block")
        .hasSameSizeAs(Settings.AfterDead.values());
    assertThat(hints("outbox.console.anonymous"))
        .containsExactly("none", "read-only", "operator")
        .hasSameSizeAs(OutboxProperties.Anonymous.values());
    assertThat(hints("outbox.schema.initialize"))
        .containsExactly("embedded", "always", "never")
        .hasSameSizeAs(Settings.Initialize.values());
  }

  @Test
  void theGuideListsEveryPropertyWithItsDefault() throws IOException {
    Path guide = Path.of(System.getProperty("basedir", "")).resolve("../../docs/spring.md");
    List<String> lines = Files.readAllLines(guide);
    properties.forEach(
        (name, property) -> {
          String row = "| `" + name + "` | " + property.path("defaultValue").asText() + " |";
          if (name.startsWith("outbox.")) {
            assertThat(lines).as(row).anyMatch(line -> line.startsWith(row));
          }
        });
  }

  private Iterable<String> hints(String name) {
    for (JsonNode hint : metadata.get("hints")) {
      if (hint.get("name").asText().equals(name)) {
        return hint.get("values").findValuesAsText("value");
      }
    }
    throw new AssertionError("no hints for " + name);
  }
}
