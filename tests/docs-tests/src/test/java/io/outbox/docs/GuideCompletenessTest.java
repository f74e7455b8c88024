package io.outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.Outbox;
import io.outbox.internal.settings.OutboxSettings;
import io.outbox.jdbc.spi.Dialect;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.OutboxStore;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The tables of the reference, and of the page about stores, list what the code has. */
class GuideCompletenessTest {

  private static final Pattern NAME = Pattern.compile("`(\\w+)`");

  private static final String HINT =
      "the names in the tables of docs/reference.md and docs/extending.md; describe new ones there";

  private final Map<String, String> secondCellByName = secondCellByName();

  /** What stands in the second column beside each name in the first, in all tables. */
  private static Map<String, String> secondCellByName() {
    Map<String, String> cells = new TreeMap<>();
    for (String line :
        Stream.of("docs/reference.md", "docs/extending.md")
            .flatMap(page -> Texts.lines(Texts.page(page)).stream())
            .toList()) {
      String[] row = line.split("\\|", -1);
      if (line.startsWith("| ") && row.length > 3) {
        Matcher names = NAME.matcher(row[1]);
        while (names.find()) {
          cells.putIfAbsent(names.group(1), row[2].strip());
        }
      }
    }
    return cells;
  }

  @Test
  void everySettingIsThere() {
    Set<String> settings =
        Stream.of(
                Outbox.SingleNodeBuilder.class,
                Outbox.MultiNodeBuilder.class,
                Outbox.OrderedBuilder.class,
                Outbox.OrderedByKeyBuilder.class,
                Outbox.WriterOnlyBuilder.class)
            .flatMap(builder -> Arrays.stream(builder.getMethods()))
            .filter(method -> method.getDeclaringClass() != Object.class)
            .map(Method::getName)
            .collect(Collectors.toCollection(TreeSet::new));
    settings.remove("build");
    assertThat(secondCellByName).as(HINT).containsKeys(settings.toArray(String[]::new));
  }

  @Test
  void everyNumberIsTheRealDefault() throws IllegalAccessException {
    OutboxSettings settings = new OutboxSettings();
    int checked = 0;
    for (Field field : OutboxSettings.class.getFields()) {
      Object value = field.get(settings);
      if (value instanceof Number || value instanceof Boolean || value instanceof Duration) {
        checked++;
        assertThat(secondCellByName.get(field.getName()))
            .as("the default of " + field.getName() + " in docs/reference.md")
            .isEqualTo(shown(field.getName(), value));
      }
    }
    assertThat(checked).isGreaterThan(10);
  }

  private static String shown(String name, Object value) {
    if (value instanceof Duration duration) {
      if (duration.isZero()) {
        return "0";
      }
      if (duration.toDays() > 0) {
        return duration.toDays() + " days";
      }
      return duration.toSecondsPart() == 0
          ? duration.toMinutes() + " minutes"
          : duration.toSeconds() + " seconds";
    }
    return name.endsWith("Bytes") ? ((Long) value >> 20) + " MiB" : value.toString();
  }

  @Test
  void everyMetricIsThere() {
    assertThat(secondCellByName)
        .as(HINT)
        .containsKeys(namesOf(Arrays.stream(MetricsExporter.class.getMethods())));
  }

  @Test
  void everyMethodAStoreMayHaveIsThere() {
    assertThat(secondCellByName)
        .as(HINT)
        .containsKeys(
            namesOf(Arrays.stream(OutboxStore.class.getMethods()).filter(Method::isDefault)));
    String page = Texts.read(Texts.page("docs/extending.md"));
    for (Method method : OutboxStore.class.getMethods()) {
      assertThat(page).contains("`" + method.getName() + "`");
    }
  }

  @Test
  void everyMethodADialectMayHaveIsThere() {
    assertThat(secondCellByName)
        .as(HINT)
        .containsKeys(namesOf(Arrays.stream(Dialect.class.getMethods()).filter(Method::isDefault)));
  }

  private static String[] namesOf(Stream<Method> methods) {
    return methods
        .filter(method -> !Modifier.isStatic(method.getModifiers()))
        .map(Method::getName)
        .toArray(String[]::new);
  }
}
