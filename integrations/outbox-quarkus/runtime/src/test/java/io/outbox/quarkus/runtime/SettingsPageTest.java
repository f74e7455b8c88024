package io.outbox.quarkus.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.config.WithDefault;
import io.smallrye.config.WithName;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The pages list every setting with its default. */
class SettingsPageTest {

  private static final Path DOCS = Path.of("../../../docs");
  private static final Pattern ROW =
      Pattern.compile("(?m)^\\| `(?:quarkus\\.)?outbox\\.([a-z.<>-]+)` \\| ([^|]*)\\|");

  @Test
  void everySettingIsOnThePageOfQuarkusOrHasThatOfSpringBoot() throws IOException {
    Map<String, String> shown = rows("spring.md");
    shown.putAll(rows("quarkus.md"));
    Map<String, String> settings = settings("", OutboxConfig.class);
    settings.putAll(settings("", OutboxBuildConfig.class));

    assertThat(shown).containsAllEntriesOf(settings);
  }

  private static Map<String, String> rows(String page) throws IOException {
    Map<String, String> rows = new TreeMap<>();
    Matcher matcher = ROW.matcher(Files.readString(DOCS.resolve(page)));
    while (matcher.find()) {
      rows.put(matcher.group(1), matcher.group(2).replace("`", "").strip());
    }
    return rows;
  }

  private static Map<String, String> settings(String prefix, Class<?> group) {
    Map<String, String> settings = new TreeMap<>();
    for (Method method : group.getDeclaredMethods()) {
      WithName name = method.getAnnotation(WithName.class);
      WithDefault value = method.getAnnotation(WithDefault.class);
      String key = prefix + (name == null ? kebab(method.getName()) : name.value());
      Class<?> nested = groupOf(method.getGenericReturnType());
      if (method.getReturnType() == Map.class) {
        settings.put(key, "");
        settings.putAll(settings(key + ".<type>.", nested));
      } else if (nested != null) {
        settings.putAll(settings(key + ".", nested));
      } else {
        settings.put(key, value == null ? "" : value.value());
      }
    }
    return settings;
  }

  /** Null if it is a value. */
  private static Class<?> groupOf(Type type) {
    if (type instanceof ParameterizedType generic) {
      Type[] arguments = generic.getActualTypeArguments();
      return groupOf(arguments[arguments.length - 1]);
    }
    return type instanceof Class<?> group
            && group.isInterface()
            && group.getEnclosingClass() == OutboxConfig.class
        ? group
        : null;
  }

  private static String kebab(String name) {
    return name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
  }
}
