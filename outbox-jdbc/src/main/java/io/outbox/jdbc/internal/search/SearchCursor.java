package io.outbox.jdbc.internal.search;

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
 * @param orders the codes of the orders that are merged
 * @param number of the order it has come to {@code position} in; in those before it is behind that
 *     instant, in those after it is in front of it
 */
record SearchCursor(String orders, int number, SearchPosition position) {

  private static final Pattern TEXT =
      Pattern.compile("1 ([a-z]+) (\\d) (-|-?\\d{1,18}) ([=<#])(?: ([^\\x00]{1,255}))?");

  /** What every database can be asked for. */
  private static final Instant EARLIEST = Instant.parse("0001-01-01T00:00:00Z");

  private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59.999999Z");

  static String codes(List<SearchOrder> orders) {
    return orders.stream().map(order -> String.valueOf(order.code())).collect(Collectors.joining());
  }

  /** Where one of the orders goes on. */
  SearchPosition start(int order) {
    if (order == number) {
      return position;
    }
    return order < number
        ? SearchPosition.before(position.at())
        : SearchPosition.from(position.at());
  }

  String encode() {
    String text =
        "1 %s %s %s %s%s"
            .formatted(
                orders,
                number,
                position.at() == null ? "-" : micros(position.at()),
                mark(position),
                position.tie() == null ? "" : " " + position.tie());
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  private static String mark(SearchPosition position) {
    return position.crowded() ? "#" : position.inclusive() ? "=" : "<";
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
        new SearchPosition(
            at, !parts.group(4).equals("<"), parts.group(5), parts.group(4).equals("#")));
  }

  /** Checks that it belongs to these orders. */
  void require(List<SearchOrder> all, String text) {
    if (!orders.equals(codes(all)) || number >= all.size() || !fits(all.get(number))) {
      throw unknown(text, null);
    }
  }

  private boolean fits(SearchOrder order) {
    if (position.at() != null
        && (position.at().isBefore(EARLIEST) || position.at().isAfter(LATEST))) {
      return false;
    }
    boolean tieFits =
        position.tie() == null
            ? order.isTimed()
            : order.tie() != SearchOrder.Tie.SEQ || isNumber(position.tie());
    return order.isTimed() == (position.at() != null) && tieFits;
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
