package io.outbox.relay.yaml;

import io.outbox.relay.yaml.Section.Scalar;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The settings of a section that are more than text. A wrong value is a problem. */
public final class Values {

  private static final Pattern DURATION = Pattern.compile("(\\d{1,12}) ?(ms|s|m|h|d)");
  private static final Pattern SIZE = Pattern.compile("(\\d{1,12}) ?(B|KB|MB|GB)?");

  private final Section section;

  private Values(Section section) {
    this.section = section;
  }

  public static Values of(Section section) {
    return new Values(section);
  }

  /** What the setter refuses is a problem, too; so for all others. */
  public void text(String key, Consumer<String> setter) {
    set(key, Optional.ofNullable(section.text(key)), setter);
  }

  private <T> void set(String key, Optional<T> value, Consumer<T> setter) {
    try {
      value.ifPresent(setter);
    } catch (IllegalArgumentException e) {
      section.problem(key, e.getMessage());
    }
  }

  public boolean flag(String key, boolean otherwise) {
    return flag(key).orElse(otherwise);
  }

  public void flag(String key, Consumer<Boolean> setter) {
    set(key, flag(key), setter);
  }

  private Optional<Boolean> flag(String key) {
    return section
        .scalar(key)
        .flatMap(
            scalar ->
                switch (scalar.value()) {
                  case "true" -> Optional.of(true);
                  case "false" -> Optional.of(false);
                  default -> wrong(scalar, "must be true or false");
                });
  }

  public int integer(String key, int otherwise, int min, int max) {
    return integer(key, min, max).orElse(otherwise);
  }

  public void integer(String key, int min, int max, Consumer<Integer> setter) {
    set(key, integer(key, min, max), setter);
  }

  private Optional<Integer> integer(String key, int min, int max) {
    return number(key, min, max).map(Long::intValue);
  }

  public long number(String key, long otherwise, long min, long max) {
    return number(key, min, max).orElse(otherwise);
  }

  public void number(String key, long min, long max, Consumer<Long> setter) {
    set(key, number(key, min, max), setter);
  }

  private Optional<Long> number(String key, long min, long max) {
    return section.scalar(key).flatMap(scalar -> number(scalar, min, max));
  }

  private Optional<Long> number(Scalar scalar, long min, long max) {
    try {
      long number = Long.parseLong(scalar.value().strip());
      if (number >= min && number <= max) {
        return Optional.of(number);
      }
      boolean open = max == Integer.MAX_VALUE || max == Long.MAX_VALUE;
      return wrong(scalar, "must be " + (open ? "at least " + min : "from " + min + " to " + max));
    } catch (NumberFormatException e) {
      return wrong(scalar, "must be a whole number");
    }
  }

  /** Null if it is not set and there is no default. */
  public Duration duration(String key, Duration otherwise, Duration min) {
    return duration(key, min).orElse(otherwise);
  }

  public void duration(String key, Duration min, Consumer<Duration> setter) {
    set(key, duration(key, min), setter);
  }

  private Optional<Duration> duration(String key, Duration min) {
    return section.scalar(key).flatMap(scalar -> duration(scalar, min));
  }

  private Optional<Duration> duration(Scalar scalar, Duration min) {
    Optional<Duration> duration = parseDuration(scalar.value().strip());
    if (duration.isEmpty()) {
      return wrong(scalar, "must be a duration such as 500ms, 10s, 5m, 1h or 7d");
    }
    return duration.get().compareTo(min) < 0
        ? wrong(scalar, "must be at least " + text(min))
        : duration;
  }

  private static Optional<Duration> parseDuration(String text) {
    Matcher matcher = DURATION.matcher(text);
    if (matcher.matches()) {
      long amount = Long.parseLong(matcher.group(1));
      return Optional.of(
          switch (matcher.group(2)) {
            case "ms" -> Duration.ofMillis(amount);
            case "s" -> Duration.ofSeconds(amount);
            case "m" -> Duration.ofMinutes(amount);
            case "h" -> Duration.ofHours(amount);
            default -> Duration.ofDays(amount);
          });
    }
    try {
      return Optional.of(Duration.parse(text));
    } catch (DateTimeParseException e) {
      return Optional.empty();
    }
  }

  /** As it is written in a file. */
  public static String text(Duration duration) {
    long millis = duration.toMillis();
    if (millis % 1000 != 0 || millis == 0) {
      return millis + "ms";
    }
    return millis % 60_000 == 0 ? millis / 60_000 + "m" : millis / 1000 + "s";
  }

  /** In bytes, from a number with KB, MB or GB. */
  public void bytes(String key, long min, Consumer<Long> setter) {
    set(key, section.scalar(key).flatMap(scalar -> bytes(scalar, min)), setter);
  }

  private Optional<Long> bytes(Scalar scalar, long min) {
    Matcher matcher = SIZE.matcher(scalar.value().strip());
    if (!matcher.matches()) {
      return wrong(scalar, "must be a size such as 512KB or 64MB");
    }
    int shift =
        matcher.group(2) == null
            ? 0
            : List.of("B", "KB", "MB", "GB").indexOf(matcher.group(2)) * 10;
    long amount = Long.parseLong(matcher.group(1));
    if (amount > Long.MAX_VALUE >> shift) {
      return wrong(scalar, "must be less than 8 exabytes");
    }
    long size = amount << shift;
    return size < min ? wrong(scalar, "must be at least " + min + " bytes") : Optional.of(size);
  }

  /** One of an enum's names, written in lower case with hyphens. */
  public <E extends Enum<E>> E choice(String key, Class<E> type, E otherwise) {
    return section.scalar(key).flatMap(scalar -> choice(scalar, type)).orElse(otherwise);
  }

  private <E extends Enum<E>> Optional<E> choice(Scalar scalar, Class<E> type) {
    for (E constant : type.getEnumConstants()) {
      if (name(constant).equals(scalar.value())) {
        return Optional.of(constant);
      }
    }
    List<String> names = Arrays.stream(type.getEnumConstants()).map(Values::name).toList();
    return wrong(scalar, "must be one of " + String.join(", ", names));
  }

  /** As it is written in a file. */
  public static String name(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Shows what is written, not what came from outside. */
  private <T> Optional<T> wrong(Scalar scalar, String demand) {
    section.problems().add(scalar.at(), demand + ", but is '" + scalar.raw() + "'");
    return Optional.empty();
  }
}
