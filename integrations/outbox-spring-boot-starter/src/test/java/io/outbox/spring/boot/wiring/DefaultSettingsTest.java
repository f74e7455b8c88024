package io.outbox.spring.boot.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.spring.boot.OutboxProperties;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.core.env.StandardEnvironment;

/** Properties have the names and defaults that they have in every framework. */
class DefaultSettingsTest {

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
    Map<String, String> values = new TreeMap<>();
    all.forEach(
        (name, value) ->
            values.put(
                "outbox." + name.toString().replace(".Order/OrderPlaced", "[Order/OrderPlaced]"),
                value.toString()));

    assertThat(settings(values)).hasToString(text("all.txt"));
  }

  private static Object settings(Map<String, String> values) {
    OutboxProperties properties =
        new Binder(new MapConfigurationPropertySource(values))
            .bindOrCreate("outbox", OutboxProperties.class);
    return SpringSettings.of(properties, new StandardEnvironment());
  }

  private static String text(String file) throws IOException {
    return Files.readString(SHARED.resolve(file)).strip().replace("\n", ", ");
  }
}
