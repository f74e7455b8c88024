package io.outbox.wiring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.Outbox;
import io.outbox.wiring.Settings.Mode;
import java.io.IOException;
import java.io.Reader;
import java.lang.reflect.Field;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The files that the frameworks' tests share say what the samples here say, and the samples reach
 * the builder. So names and defaults are the same in every framework.
 */
class SettingsTest {

  private static final Path FILES = Path.of("src/test/resources/settings");

  @Test
  void theFilesSayWhatTheSamplesSay() throws IOException {
    assertThat(Samples.lines(Samples.defaults(Mode.SINGLE_NODE, false)))
        .isEqualTo(text("defaults.txt"));
    assertThat(Samples.lines(Samples.all())).isEqualTo(text("all.txt"));
  }

  private static String text(String file) throws IOException {
    return Files.readString(FILES.resolve(file)).strip();
  }

  @Test
  void propertiesAreNamedLikeTheSettings() throws IOException {
    Properties all = new Properties();
    try (Reader reader = Files.newBufferedReader(FILES.resolve("all.properties"))) {
      all.load(reader);
    }
    Set<String> names = new TreeSet<>(names("", Settings.class));
    names.remove("prefix");
    names.remove("listeners");
    names.addAll(names("listeners.Order/OrderPlaced.", Settings.Listener.class));

    assertThat(all.stringPropertyNames()).containsExactlyInAnyOrderElementsOf(names);
  }

  private static Set<String> names(String prefix, Class<?> group) {
    Set<String> names = new TreeSet<>();
    for (RecordComponent component : group.getRecordComponents()) {
      String words = component.getName().replaceAll("([A-Z])", "-$1");
      String name = prefix + words.toLowerCase(Locale.ROOT);
      if (component.getType().isRecord()) {
        names.addAll(names(name + ".", component.getType()));
      } else {
        names.add(name);
      }
    }
    return names;
  }

  @ParameterizedTest
  @EnumSource
  void defaultsLeaveTheBuilderAsItIs(Mode mode) throws Exception {
    Settings settings = Samples.defaults(mode, mode == Mode.MULTI_NODE);

    assertThat(inside(builder(settings)))
        .usingRecursiveComparison()
        .ignoringFields("ownerId", "claimTimeout") // no default: multiNode() demands them
        .isEqualTo(inside(untouched(mode)));
  }

  @Test
  void settingsReachTheBuilder() throws Exception {
    Object manyNodes = inside(builder(Samples.all(Mode.MULTI_NODE, Samples.seconds(9), false)));
    Object byKey = inside(builder(Samples.all(Mode.ORDERED_BY_KEY, null, false)));

    assertThat(manyNodes)
        .hasFieldOrPropertyWithValue("deleteOnDone", true)
        .hasFieldOrPropertyWithValue("workerCount", 7)
        .hasFieldOrPropertyWithValue("maxInFlight", 8)
        .hasFieldOrPropertyWithValue("listenerTimeout", Samples.seconds(9))
        .hasFieldOrPropertyWithValue("missingListenerGrace", Samples.seconds(10))
        .hasFieldOrPropertyWithValue("hotQueueCapacity", 11)
        .hasFieldOrPropertyWithValue("coldQueueCapacity", 12)
        .hasFieldOrPropertyWithValue("maxQueuedBytes", 13_000L)
        .hasFieldOrPropertyWithValue("drainTimeoutMs", 14L)
        .hasFieldOrPropertyWithValue("maxAttempts", 15)
        .hasFieldOrPropertyWithValue("maxAge", Samples.seconds(16))
        .hasFieldOrPropertyWithValue("intervalMs", 27L)
        .hasFieldOrPropertyWithValue("batchSize", 28)
        .hasFieldOrPropertyWithValue("skipRecent", Duration.ofMillis(29))
        .hasFieldOrPropertyWithValue("ownerId", "node-30")
        .hasFieldOrPropertyWithValue("claimTimeout", Samples.seconds(31))
        .hasFieldOrPropertyWithValue("purgeRetention", Samples.seconds(35))
        .hasFieldOrPropertyWithValue("purgeBatchSize", 36)
        .hasFieldOrPropertyWithValue("purgeIntervalSeconds", 37L);
    assertThat(byKey)
        .hasFieldOrPropertyWithValue("missingListenerGrace", Samples.seconds(10))
        .hasFieldOrPropertyWithValue("laneLease", Samples.seconds(33))
        .hasFieldOrPropertyWithValue("laneHandover", Samples.seconds(34))
        .hasFieldOrPropertyWithValue("notifications", true)
        .hasFieldOrPropertyWithValue("blockAfterDead", true);
  }

  @Test
  void settingsThatDoNotGoTogetherAreRefused() {
    assertRefused(
        Samples.defaults(Mode.MULTI_NODE, false),
        "outbox.mode is multi-node, but outbox.claim-locking.enabled is not true",
        "Set outbox.claim-locking.enabled=true");
    assertRefused(
        Samples.all(Mode.ORDERED_BY_KEY, Samples.seconds(9), false),
        "Remove outbox.dispatcher.listener-timeout");
    assertRefused(
        Samples.all(Mode.SINGLE_NODE, Duration.ZERO, false),
        "The property outbox.dispatcher.listener-timeout cannot be used",
        "Correct the value of outbox.dispatcher.listener-timeout.");
  }

  private static void assertRefused(Settings settings, String... words) {
    assertThatThrownBy(() -> builder(settings))
        .isInstanceOf(OutboxConfigurationException.class)
        .hasMessageContainingAll(words);
  }

  private static Outbox.AbstractBuilder<?> builder(Settings settings) {
    return new OutboxBuilders(
            settings,
            new OutboxBuilders.Extras(
                Optional.empty(), Optional::empty, List.of(), Optional::empty, List.of()))
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

  private static Object inside(Outbox.AbstractBuilder<?> builder)
      throws ReflectiveOperationException {
    Field field = Outbox.AbstractBuilder.class.getDeclaredField("settings");
    field.setAccessible(true);
    return field.get(builder);
  }
}
