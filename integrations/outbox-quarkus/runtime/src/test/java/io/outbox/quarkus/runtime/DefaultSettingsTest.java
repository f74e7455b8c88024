package io.outbox.quarkus.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.Outbox;
import io.outbox.jdbc.store.H2OutboxStore;
import io.outbox.quarkus.runtime.OutboxConfig.Mode;
import io.outbox.spi.OutboxStore;
import io.quarkus.runtime.configuration.ConfigurationException;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.lang.reflect.Field;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The defaults of the settings are written beside them; these are the builders'. */
class DefaultSettingsTest {

  private static final OutboxStore STORE = new H2OutboxStore();

  @ParameterizedTest
  @EnumSource
  void settingsThatAreNotSetLeaveTheBuilderAsItIs(Mode mode) throws Exception {
    OutboxConfig config =
        config(
            Map.of(
                "mode", Settings.kebab(mode),
                "claim-locking.enabled", "true",
                "purge.enabled", "true"));

    assertThat(settings(builder(config)))
        .usingRecursiveComparison()
        .ignoringFields("ownerId", "claimTimeout", "purger") // no defaults
        .isEqualTo(settings(untouched(mode)));
  }

  @ParameterizedTest
  @CsvSource({
    "dispatcher.worker-count, 0",
    "dispatcher.listener-timeout, 0",
    "retry.base-delay-ms, 0",
    "poller.interval-ms, 0",
    "purge.batch-size, 0"
  })
  void aValueThatCannotBeUsedIsNamed(String name, String value) {
    OutboxConfig config = config(Map.of(name, value, "purge.enabled", "true"));

    assertThatThrownBy(() -> builder(config))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("quarkus.outbox." + name);
  }

  @Test
  void manyNodesNeedLeases() {
    assertThatThrownBy(() -> builder(config(Map.of("mode", "multi-node"))))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("quarkus.outbox.claim-locking.enabled");
  }

  private static Outbox.AbstractBuilder<?> builder(OutboxConfig config) {
    return new OutboxBuilders(
            config,
            new OutboxBuilders.Extras(
                Optional.empty(), Optional.empty(), List.of(), () -> Purgers.of(STORE, false)))
        .builderOfTheMode();
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

  private static OutboxConfig config(Map<String, String> values) {
    Map<String, String> properties = new HashMap<>();
    values.forEach((name, value) -> properties.put("quarkus.outbox." + name, value));
    return new SmallRyeConfigBuilder()
        .addDiscoveredConverters()
        .withMapping(OutboxConfig.class)
        .withSources(new PropertiesConfigSource(properties, "test", 100))
        .build()
        .getConfigMapping(OutboxConfig.class);
  }

  private static Object settings(Outbox.AbstractBuilder<?> builder)
      throws ReflectiveOperationException {
    Field field = Outbox.AbstractBuilder.class.getDeclaredField("settings");
    field.setAccessible(true);
    return field.get(builder);
  }
}
