package io.outbox.jdbc.store;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * How far a search has come, as a text for URLs.
 *
 * @param walks the codes of the walks that are merged
 * @param number of the walk it has come to {@code bound} on; on those before it is behind that
 *     instant, on those after it is in front of it
 */
record SearchCursor(String walks, int number, Bound bound) {

  private static final Pattern TEXT =
      Pattern.compile("1 ([a-z]+) (\\d) (-|-?\\d{1,18}) ([=<#])(?: ([^\\x00]{1,255}))?");

  /** What every database can be asked for. */
  private static final Instant EARLIEST = Instant.parse("0001-01-01T00:00:00Z");

  private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59.999999Z");

  static String codes(List<Walk> walks) {
    return walks.stream().map(walk -> String.valueOf(walk.code())).collect(Collectors.joining());
  }

  /** Where one of the walks goes on. */
  Bound start(int walk) {
    if (walk == number) {
      return bound;
    }
    return walk < number ? Bound.before(bound.at()) : Bound.from(bound.at());
  }

  String encode() {
    String text =
        "1 %s %d %s %s%s"
            .formatted(
                walks,
                number,
                bound.at() == null ? "-" : micros(bound.at()),
                mark(bound),
                bound.tie() == null ? "" : " " + bound.tie());
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  private static String mark(Bound bound) {
    return bound.crowded() ? "#" : bound.inclusive() ? "=" : "<";
  }

  private static String micros(Instant at) {
    return String.valueOf(ChronoUnit.MICROS.between(Instant.EPOCH, at));
  }

  /**
   * Reads what {@link #encode} wrote.
   *
   * @throws IllegalArgumentException if it is something else
   */
  static SearchCursor decode(String text) {
    Matcher parts;
    try {
      parts = TEXT.matcher(new String(Base64.getUrlDecoder().decode(text), StandardCharsets.UTF_8));
    } catch (IllegalArgumentException e) {
      throw unknown(text, e);
    }
    if (!parts.matches()) {
      throw unknown(text, null);
    }
    Instant at =
        parts.group(3).equals("-")
            ? null
            : Instant.EPOCH.plus(Long.parseLong(parts.group(3)), ChronoUnit.MICROS);
    return new SearchCursor(
        parts.group(1),
        Integer.parseInt(parts.group(2)),
        new Bound(at, !parts.group(4).equals("<"), parts.group(5), parts.group(4).equals("#")));
  }

  /** Checks that it belongs to these walks. */
  void require(List<Walk> all, String text) {
    if (!walks.equals(codes(all)) || number >= all.size() || !fits(all.get(number))) {
      throw unknown(text, null);
    }
  }

  private boolean fits(Walk walk) {
    if (bound.at() != null && (bound.at().isBefore(EARLIEST) || bound.at().isAfter(LATEST))) {
      return false;
    }
    boolean tieFits =
        bound.tie() == null ? walk.isTimed() : walk.tie() != Walk.Tie.SEQ || isNumber(bound.tie());
    return walk.isTimed() == (bound.at() != null) && tieFits;
  }

  private static boolean isNumber(String text) {
    return text.matches("\\d{1,18}");
  }

  static IllegalArgumentException unknown(String text, Exception cause) {
    return new IllegalArgumentException(
        "'" + text + "' is not where a search with this filter can go on; begin at the first page",
        cause);
  }
}
