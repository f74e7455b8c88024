package io.outbox.micronaut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micronaut.context.ApplicationContext;
import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.operate.OutboxOperator;
import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import io.outbox.wiring.OutboxConfigurationException;
import io.outbox.wiring.Settings;
import io.outbox.wiring.Settings.Mode;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;

/** The properties, and what is said if they, or something else, are wrong. */
class ConfigurationTest {

  private static final Path SHARED = Path.of("../outbox-wiring/src/test/resources/settings");

  @Test
  void propertiesThatAreNotSetHaveTheDefaultsOfEveryFramework() throws IOException {
    assertThat(settings(Map.of())).hasToString(text("defaults.txt"));
  }

  @Test
  void everyPropertyHasTheNameThatItHasInEveryFramework() throws IOException {
    Properties all = new Properties();
    try (Reader reader = Files.newBufferedReader(SHARED.resolve("all.properties"))) {
      all.load(reader);
    }
    Map<String, Object> values = new HashMap<>();
    all.forEach((name, value) -> values.put("outbox." + name, value));

    assertThat(settings(values)).hasToString(text("all.txt"));
  }

  private static Settings settings(Map<String, Object> values) {
    Map<String, Object> properties = new HashMap<>(values);
    properties.put("outbox.enabled", "false");
    try (ApplicationContext context = ApplicationContext.run(properties)) {
      return MicronautSettings.of(
          context.getBean(OutboxConfiguration.class),
          new ListenerProperties(context.getEnvironment(), context.getConversionService()));
    }
  }

  private static String text(String file) throws IOException {
    return Files.readString(SHARED.resolve(file)).strip().replace("\n", ", ");
  }

  @Test
  void aListenersPropertyThatDoesNotExistOrCannotBeReadIsNamed() {
    assertThatThrownBy(() -> settings(Map.of("outbox.listeners.order.paid.max-attempt", "3")))
        .isInstanceOf(OutboxConfigurationException.class)
        .hasMessageContaining("There is no property outbox.listeners.order.paid.max-attempt");
    assertThatThrownBy(() -> settings(Map.of("outbox.listeners.order.paid.max-age", "old")))
        .isInstanceOf(OutboxConfigurationException.class)
        .hasMessageContaining("outbox.listeners.order.paid.max-age cannot be used: old is not");
    assertThatThrownBy(() -> settings(Map.of("outbox.listeners.Paid.retry-never", "shop.Lost")))
        .isInstanceOf(OutboxConfigurationException.class)
        .hasMessageContaining("shop.Lost is not the class of an exception");
  }

  @Test
  void everyModeStartsAndStops() {
    for (Mode mode : Mode.values()) {
      try (Database database = TestDatabase.H2.fresh();
          ApplicationContext context =
              start(
                  database,
                  Map.of(
                      "outbox.mode", mode.name(),
                      "outbox.claim-locking.enabled", "true",
                      "outbox.purge.enabled", "true",
                      "outbox.table-name", "events"))) {
        Outbox outbox = context.getBean(Outbox.class);
        assertThat(outbox.isRunning()).as(mode.name()).isTrue();
        assertThat(context.getBean(OutboxWriter.class)).isSameAs(outbox.writer());
        assertThat(context.getBean(OutboxOperator.class)).isNotNull();
      }
    }
  }

  @Test
  void anOutboxThatIsSwitchedOffIsNotThere() {
    try (ApplicationContext context =
        ApplicationContext.run(Map.of("spec", "none", "outbox.enabled", "false"))) {
      assertThat(context.containsBean(Outbox.class)).isFalse();
      assertThat(context.containsBean(OutboxWriter.class)).isFalse();
    }
  }

  @Test
  void whatIsWrongIsNamedWithARemedy() {
    assertRefused(Map.of("outbox.datasource", "other"), "'other'", "datasources.other.url");
    assertRefused(Map.of("outbox.mode", "multi-node"), "claim-locking.enabled=true");
    assertRefused(
        Map.of("outbox.dispatcher.worker-count", "0"),
        "outbox.dispatcher.worker-count cannot be used",
        "Correct the value of");
    assertRefused(
        Map.of("outbox.retry.max-delay-ms", "1"), "outbox.retry.max-delay-ms cannot be used");
    assertRefused(Map.of("outbox.table-name", "a b"), "outbox.table-name cannot be used");
    assertRefused(
        Map.of("outbox.schema.initialize", "never"), "cannot use its table", "initialize=always");
    assertRefused(
        Map.of("outbox.mode", "ordered-by-key", "outbox.dispatcher.listener-timeout", "1s"),
        "Remove outbox.dispatcher.listener-timeout");
    assertRefused(
        Map.of("outbox.mode", "ordered-by-key", "outbox.ordered-by-key.notifications", "true"),
        "only PostgreSQL can");
  }

  @Test
  void withoutADataSourceTheMessageSaysHowToGetOne() {
    assertThatThrownBy(() -> ApplicationContext.run(Map.of("spec", "none")).close())
        .rootCause()
        .isInstanceOf(OutboxConfigurationException.class)
        .hasMessageContainingAll("DataSource 'default'", "micronaut-jdbc-hikari", "enabled=false");
  }

  private static void assertRefused(Map<String, Object> properties, String... words) {
    try (Database database = TestDatabase.H2.fresh()) {
      assertThatThrownBy(() -> start(database, properties).close())
          .hasStackTraceContaining(OutboxConfigurationException.class.getName())
          .satisfies(
              thrown -> {
                for (String word : words) {
                  assertThat(thrown).hasStackTraceContaining(word);
                }
              });
    }
  }

  private static ApplicationContext start(Database database, Map<String, Object> properties) {
    Map<String, Object> all = new HashMap<>(TestApp.properties(database, "none"));
    all.putAll(properties);
    return ApplicationContext.run(all);
  }
}
