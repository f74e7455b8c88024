package io.outbox.micronaut;

import io.micronaut.context.env.Environment;
import io.micronaut.core.convert.ConversionService;
import io.micronaut.core.naming.conventions.StringConvention;
import io.micronaut.core.type.Argument;
import io.outbox.wiring.OutboxConfigurationException;
import io.outbox.wiring.Property;
import io.outbox.wiring.Settings;
import io.outbox.wiring.listener.ListenerPolicies;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The properties {@code outbox.listeners.*}. Not bound to a class: Micronaut would change the names
 * of event types, {@code OrderPlaced} to {@code order-placed}, and end them at the first dot.
 */
record ListenerProperties(Environment environment, ConversionService conversions) {

  private static final String PREFIX = OutboxConfiguration.PREFIX + ".listeners";

  private static final Pattern NAME =
      Pattern.compile(
          "(.+)\\.(max-attempts|max-age|retry\\.base-delay-ms|retry\\.max-delay-ms|retry-never"
              + "|retry-always|timeout|concurrency|rate-limit\\.events|rate-limit\\.period)");

  /** By the names of listeners. */
  Map<String, Settings.Listener> read() {
    Map<String, Map<String, Object>> found = new TreeMap<>();
    environment
        .getProperties(PREFIX, StringConvention.RAW)
        .forEach(
            (property, value) -> {
              Matcher name = NAME.matcher(property);
              if (!name.matches()) {
                throw unknown(property);
              }
              found
                  .computeIfAbsent(name.group(1), listener -> new TreeMap<>())
                  .put(name.group(2), value);
            });
    Map<String, Settings.Listener> listeners = new TreeMap<>();
    found.forEach((name, values) -> listeners.put(name, listener(name, values)));
    return listeners;
  }

  private static OutboxConfigurationException unknown(String property) {
    return new OutboxConfigurationException(
        "There is no property " + PREFIX + "." + property + ".",
        "After the name of a listener comes max-attempts, max-age, retry.base-delay-ms,"
            + " retry.max-delay-ms, retry-never, retry-always, timeout, concurrency,"
            + " rate-limit.events or rate-limit.period.");
  }

  private Settings.Listener listener(String name, Map<String, Object> values) {
    Values of =
        new Values(PREFIX + "." + name + ".", values, conversions, environment.getClassLoader());
    return new Settings.Listener(
        of.get("max-attempts", Integer.class, null),
        of.get("max-age", Duration.class, null),
        of.has("retry.")
            ? new Settings.Delays(
                of.get("retry.base-delay-ms", Long.class, 200L),
                of.get("retry.max-delay-ms", Long.class, 60_000L))
            : null,
        of.exceptions("retry-never"),
        of.exceptions("retry-always"),
        of.get("timeout", Duration.class, null),
        of.get("concurrency", Integer.class, null),
        of.has("rate-limit.")
            ? new Settings.RateLimit(
                of.get("rate-limit.events", Integer.class, 0),
                of.get("rate-limit.period", Duration.class, Duration.ofSeconds(1)))
            : null);
  }

  /** What was said about one listener. */
  private record Values(
      String prefix,
      Map<String, Object> values,
      ConversionService conversions,
      ClassLoader classes) {

    boolean has(String group) {
      return values.keySet().stream().anyMatch(name -> name.startsWith(group));
    }

    <T> T get(String name, Class<T> type, T otherwise) {
      Object value = values.get(name);
      return value == null
          ? otherwise
          : conversions
              .convert(value, type)
              .orElseThrow(() -> invalid(name, value + " is not a " + type.getSimpleName()));
    }

    List<Class<? extends Throwable>> exceptions(String name) {
      List<String> names =
          conversions
              .convert(values.getOrDefault(name, List.of()), Argument.listOf(String.class))
              .orElseThrow(() -> invalid(name, values.get(name) + " is no list of classes"));
      return ListenerPolicies.exceptions(prefix + name, names, classes);
    }

    private RuntimeException invalid(String name, String why) {
      return Property.invalid(prefix + name, new IllegalArgumentException(why));
    }
  }
}
