package io.outbox.micronaut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micronaut.context.ApplicationContext;
import io.micronaut.context.exceptions.ConfigurationException;
import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.micronaut.OutboxConfiguration.Mode;
import io.outbox.operate.OutboxOperator;
import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The properties, and what is said if they, or something else, are wrong. */
class ConfigurationTest {

  /** The defaults of the properties are written beside them; these are the builders'. */
  @ParameterizedTest
  @EnumSource
  void propertiesThatAreNotSetLeaveTheBuilderAsItIs(Mode mode) throws Exception {
    try (ApplicationContext context =
        ApplicationContext.run(
            Map.of(
                "outbox.enabled", "false",
                "outbox.mode", mode.name(),
                "outbox.claim-locking.enabled", "true",
                "outbox.purge.enabled", "true"))) {
      OutboxConfiguration configuration = context.getBean(OutboxConfiguration.class);

      assertThat(settings(new OutboxBuilders(configuration).builderOfTheMode()))
          .usingRecursiveComparison()
          .ignoringFields("ownerId", "claimTimeout") // no default: multiNode() demands them
          .isEqualTo(settings(untouched(mode)));
    }
  }

  private static Outbox.AbstractBuilder<?> untouched(Mode mode) {
    return switch (mode) {
      case SINGLE_NODE -> Outbox.singleNode();
      case MULTI_NODE -> Outbox.multiNode();
      case ORDERED -> Outbox.ordered();
      case ORDERED_BY_KEY -> Outbox.orderedByKey();
      case WRITER_ONLY -> Outbox.writerOnly();
    };
  }

  private static Object settings(Outbox.AbstractBuilder<?> builder)
      throws ReflectiveOperationException {
    Field field = Outbox.AbstractBuilder.class.getDeclaredField("settings");
    field.setAccessible(true);
    return field.get(builder);
  }

  @Test
  void propertiesReachTheBuilder() throws Exception {
    Map<String, Object> properties = new HashMap<>();
    properties.put("outbox.enabled", "false");
    properties.put("outbox.mode", "ordered-by-key");
    properties.put("outbox.delete-on-done", "true");
    properties.put("outbox.dispatcher.worker-count", "7");
    properties.put("outbox.dispatcher.max-queued-bytes", "2MB");
    properties.put("outbox.dispatcher.missing-listener-grace", "0s");
    properties.put("outbox.retry.max-age", "3d");
    properties.put("outbox.poller.interval-ms", "250");
    properties.put("outbox.ordered-by-key.lease", "20s");
    properties.put("outbox.ordered-by-key.notifications", "false");
    properties.put("outbox.ordered-by-key.after-dead", "block");
    try (ApplicationContext context = ApplicationContext.run(properties)) {
      OutboxConfiguration configuration = context.getBean(OutboxConfiguration.class);

      assertThat(settings(new OutboxBuilders(configuration).builderOfTheMode()))
          .hasFieldOrPropertyWithValue("deleteOnDone", true)
          .hasFieldOrPropertyWithValue("workerCount", 7)
          .hasFieldOrPropertyWithValue("maxQueuedBytes", 2L * 1024 * 1024)
          .hasFieldOrPropertyWithValue("missingListenerGrace", Duration.ZERO)
          .hasFieldOrPropertyWithValue("maxAge", Duration.ofDays(3))
          .hasFieldOrPropertyWithValue("intervalMs", 250L)
          .hasFieldOrPropertyWithValue("laneLease", Duration.ofSeconds(20))
          .hasFieldOrPropertyWithValue("notifications", false)
          .hasFieldOrPropertyWithValue("blockAfterDead", true);
    }
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
        "Correct its value");
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
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContainingAll("DataSource 'default'", "micronaut-jdbc-hikari", "enabled=false");
  }

  private static void assertRefused(Map<String, Object> properties, String... words) {
    try (Database database = TestDatabase.H2.fresh()) {
      assertThatThrownBy(() -> start(database, properties).close())
          .hasStackTraceContaining(ConfigurationException.class.getName())
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
