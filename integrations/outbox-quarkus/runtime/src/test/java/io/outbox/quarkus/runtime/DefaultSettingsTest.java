package io.outbox.quarkus.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.wiring.Property;
import io.outbox.wiring.Settings;
import io.quarkus.runtime.configuration.ConfigurationException;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;

/** Settings have the names and defaults that they have in every framework. */
class DefaultSettingsTest {

  private static final Path SHARED = Path.of("../../outbox-wiring/src/test/resources/settings");

  @Test
  void settingsThatAreNotSetHaveTheDefaultsOfEveryFramework() throws IOException {
    assertThat(settings(Map.of())).hasToString(text("defaults.txt"));
  }

  @Test
  void everySettingHasTheNameThatItHasInEveryFramework() throws IOException {
    Properties all = new Properties();
    try (Reader reader = Files.newBufferedReader(SHARED.resolve("all.properties"))) {
      all.load(reader);
    }
    Map<String, String> values = new HashMap<>();
    all.forEach(
        (name, value) ->
            values.put(
                name.toString().replace("Order/OrderPlaced", "\"Order/OrderPlaced\""),
                value.toString()));

    assertThat(settings(values)).hasToString(text("all.txt"));
  }

  @Test
  void aRefusalNamesItsKeysAsQuarkusWantsThem() {
    String key = "quarkus.outbox.listeners.Order.retry-never";

    assertThatThrownBy(
            () -> Refusals.translated(() -> settings(Map.of("listeners.Order.retry-never", "X"))))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining(key + " cannot be used: X is not the class of an exception");
    assertThat(
            Refusals.translated(
                    Property.invalid(
                        "quarkus.outbox.poller.batch-size", new IllegalArgumentException("no")))
                .getConfigKeys())
        .containsExactly("quarkus.outbox.poller.batch-size");
  }

  private static Settings settings(Map<String, String> values) {
    Map<String, String> properties = new HashMap<>();
    values.forEach((name, value) -> properties.put("quarkus.outbox." + name, value));
    return QuarkusSettings.of(
        new SmallRyeConfigBuilder()
            .addDiscoveredConverters()
            .withMapping(OutboxConfig.class)
            .withSources(new PropertiesConfigSource(properties, "test", 100))
            .build()
            .getConfigMapping(OutboxConfig.class));
  }

  private static String text(String file) throws IOException {
    return Files.readString(SHARED.resolve(file))
        .strip()
        .replace("\n", ", ")
        .replace("prefix=outbox", "prefix=quarkus.outbox");
  }
}
