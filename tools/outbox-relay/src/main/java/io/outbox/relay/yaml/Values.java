package io.outbox.relay.yaml;

import io.outbox.relay.yaml.Section.Scalar;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The settings of a section that are more than text. What is no such value is a problem. */
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

  public boolean flag(String key, boolean otherwise) {
    Optional<Scalar> scalar = section.scalar(key);
    if (scalar.isEmpty()) {
      return otherwise;
    }
    return switch (scalar.get().value()) {
      case "true" -> true;
      case "false" -> false;
      default -> wrong(scalar.get(), "must be true or false", otherwise);
    };
  }

  public int integer(String key, int otherwise, int min, int max) {
    return (int) number(key, otherwise, min, max);
  }

  public long number(String key, long otherwise, long min, long max) {
    Optional<Scalar> scalar = section.scalar(key);
    if (scalar.isEmpty()) {
      return otherwise;
    }
    try {
      long number = Long.parseLong(scalar.get().value().strip());
      if (number >= min && number <= max) {
        return number;
      }
      String range = max == Integer.MAX_VALUE || max == Long.MAX_VALUE ? "at least " + min : "";
      return wrong(
          scalar.get(),
          "must be " + (range.isEmpty() ? "from " + min + " to " + max : range),
          otherwise);
    } catch (NumberFormatException e) {
      return wrong(scalar.get(), "must be a whole number", otherwise);
    }
  }

  /** Null if it is not set and there is no default. */
  public Duration duration(String key, Duration otherwise, Duration min) {
    Optional<Scalar> scalar = section.scalar(key);
    if (scalar.isEmpty()) {
      return otherwise;
    }
    Optional<Duration> duration = parseDuration(scalar.get().value().strip());
    if (duration.isEmpty()) {
      return wrong(scalar.get(), "must be a duration such as 500ms, 10s, 5m, 1h or 7d", otherwise);
    }
    return duration.get().compareTo(min) < 0
        ? wrong(scalar.get(), "must be at least " + text(min), otherwise)
        : duration.get();
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
  public long bytes(String key, long otherwise, long min) {
    Optional<Scalar> scalar = section.scalar(key);
    if (scalar.isEmpty()) {
      return otherwise;
    }
    Matcher matcher = SIZE.matcher(scalar.get().value().strip());
    if (!matcher.matches()) {
      return wrong(scalar.get(), "must be a size such as 512KB or 64MB", otherwise);
    }
    int shift =
        matcher.group(2) == null
            ? 0
            : List.of("B", "KB", "MB", "GB").indexOf(matcher.group(2)) * 10;
    long amount = Long.parseLong(matcher.group(1));
    if (amount > Long.MAX_VALUE >> shift) {
      return wrong(scalar.get(), "must be less than 8 exabytes", otherwise);
    }
    long size = amount << shift;
    return size < min ? wrong(scalar.get(), "must be at least " + min + " bytes", otherwise) : size;
  }

  /** One of an enum's names, written in lower case with hyphens. */
  public <E extends Enum<E>> E choice(String key, Class<E> type, E otherwise) {
    Optional<Scalar> scalar = section.scalar(key);
    if (scalar.isEmpty()) {
      return otherwise;
    }
    for (E constant : type.getEnumConstants()) {
      if (name(constant).equals(scalar.get().value())) {
        return constant;
      }
    }
    List<String> names = Arrays.stream(type.getEnumConstants()).map(Values::name).toList();
    return wrong(scalar.get(), "must be one of " + String.join(", ", names), otherwise);
  }

  /** As it is written in a file. */
  public static String name(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Shows what is written, not what came from outside. */
  private <T> T wrong(Scalar scalar, String demand, T otherwise) {
    section.problems().add(scalar.at(), demand + ", but is '" + scalar.raw() + "'");
    return otherwise;
  }
}
