package io.outbox.cli.command;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.TypeConversionException;

/** A time as it is typed: one of the calendar, in UTC unless it says so, or so long ago. */
public final class TimePoint {

  private static final Pattern SHORT = Pattern.compile("(\\d{1,9})(ms|s|m|min|h|d)");

  /** No table holds a time that is further away, and arithmetic with longer spans overflows. */
  private static final Duration LONGEST = Duration.ofDays(8000 * 365);

  private final Instant instant;
  private final Duration ago;

  private TimePoint(Instant instant, Duration ago) {
    this.instant = instant;
    this.ago = ago;
  }

  /** For example {@code 2h}, {@code 2026-03-01} or {@code 2026-03-01T12:30:00Z}. */
  public static TimePoint parse(String text) {
    if (text.equals("now")) {
      return new TimePoint(null, Duration.ZERO);
    } else if (SHORT.matcher(text).matches() || text.startsWith("P")) {
      return new TimePoint(null, duration(text));
    }
    try {
      return new TimePoint(calendar(text.replace(' ', 'T')), null);
    } catch (DateTimeException e) {
      throw new TypeConversionException(
          "'"
              + text
              + "' is not a time: use 2026-03-01, 2026-03-01T12:30:00Z, or 2h for two hours ago");
    }
  }

  private static Instant calendar(String text) {
    if (!text.contains("T")) {
      return LocalDate.parse(text).atStartOfDay().toInstant(ZoneOffset.UTC);
    } else if (text.matches(".*T.*([zZ]|[+-]\\d\\d(:?\\d\\d)?)")) {
      return OffsetDateTime.parse(text).toInstant();
    }
    return LocalDateTime.parse(text).toInstant(ZoneOffset.UTC);
  }

  /** For example {@code 90s}, {@code 15m}, {@code 2h}, {@code 7d} or {@code PT2H}. */
  public static Duration duration(String text) {
    Duration span = span(text);
    if (span.compareTo(LONGEST) > 0 || span.compareTo(LONGEST.negated()) < 0) {
      throw new TypeConversionException("'" + text + "' is longer than 8000 years");
    }
    return span;
  }

  private static Duration span(String text) {
    Matcher words = SHORT.matcher(text);
    if (words.matches()) {
      long value = Long.parseLong(words.group(1));
      return switch (words.group(2)) {
        case "ms" -> Duration.ofMillis(value);
        case "s" -> Duration.ofSeconds(value);
        case "h" -> Duration.ofHours(value);
        case "d" -> Duration.ofDays(value);
        default -> Duration.ofMinutes(value);
      };
    }
    try {
      return Duration.parse(text.toUpperCase(Locale.ROOT));
    } catch (DateTimeException e) {
      throw new TypeConversionException(
          "'" + text + "' is not a time span: use 90s, 15m, 2h or 7d");
    }
  }

  /** The instant it means when it is {@code now}. */
  public Instant at(Instant now) {
    return instant == null ? now.minus(ago) : instant;
  }
}
