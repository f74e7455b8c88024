package io.outbox.cli.output;

import io.outbox.operate.Count;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.regex.Pattern;

/** Numbers and times as people read them. All times are UTC. */
public final class Words {

  private static final DateTimeFormatter SECONDS =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);

  /** The name of a class with at least two packages. */
  private static final Pattern PACKAGED =
      Pattern.compile("\\b(?:[a-z_][a-z0-9_]*\\.){2,}([A-Z][A-Za-z0-9_$]*)");

  private Words() {}

  public static String number(long value) {
    return String.format(Locale.ROOT, "%,d", value);
  }

  /** For example {@code 12}, {@code at least 1,000} or {@code about 250,000}. */
  public static String count(Count count) {
    return switch (count.precision()) {
      case EXACT -> number(count.value());
      case AT_LEAST -> "at least " + number(count.value());
      case ESTIMATED -> "about " + number(count.value());
    };
  }

  /** With the noun in the right number: {@code 1 event}, {@code 12 events}. */
  public static String events(long value) {
    return counted(value, "event");
  }

  public static String counted(long value, String noun) {
    return number(value) + " " + noun + (value == 1 ? "" : "s");
  }

  public static String events(Count count) {
    return count(count) + (count.value() == 1 ? " event" : " events");
  }

  /** To the second; empty for null. */
  public static String time(Instant instant) {
    return instant == null ? "" : SECONDS.format(instant);
  }

  /** An error for a narrow column: exceptions without their packages; empty for null. */
  public static String shortened(String error) {
    return error == null ? "" : PACKAGED.matcher(error).replaceAll("$1");
  }

  /** In its two largest units, for example {@code 3 h 12 min}. */
  public static String duration(Duration duration) {
    long seconds = duration.toSeconds();
    if (duration.isNegative()) {
      return "-" + duration(duration.negated());
    } else if (seconds < 10) {
      return duration.isZero() ? "0 s" : duration.toMillis() + " ms";
    } else if (seconds < 120) {
      return seconds + " s";
    } else if (seconds < 7200) {
      return seconds / 60 + " min " + seconds % 60 + " s";
    } else if (seconds < 172_800) {
      return seconds / 3600 + " h " + seconds % 3600 / 60 + " min";
    }
    return seconds / 86_400 + " d " + seconds % 86_400 / 3600 + " h";
  }
}
