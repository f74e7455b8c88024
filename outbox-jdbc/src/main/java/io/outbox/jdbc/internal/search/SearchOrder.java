package io.outbox.jdbc.internal.search;

import io.outbox.model.EventStatus;
import java.util.Set;

/**
 * Some rows of the table, from the newest to the oldest, as an index lists them.
 *
 * @param code names it in a cursor
 * @param index the end of the index's name
 * @param rows which rows there are
 * @param statuses those that these rows have
 * @param at what orders the rows by time, an expression; null if {@code tie} alone orders them
 * @param tie the column that orders rows of one instant; null if the index does not
 */
record SearchOrder(
    char code, String index, String rows, Set<EventStatus> statuses, String at, Tie tie) {

  /** What tells rows of one instant apart. */
  enum Tie {
    SEQ("seq"),
    ID("event_id");

    final String column;

    Tie(String column) {
      this.column = column;
    }

    /** As a parameter. */
    Object value(String text) {
      return this == SEQ ? (Object) Long.valueOf(text) : text;
    }
  }

  boolean isTimed() {
    return at != null;
  }

  /** How the index orders the rows. */
  String orderBy() {
    if (at == null) {
      return tie.column + " DESC";
    }
    return at + " DESC" + (tie == null ? "" : ", " + tie.column + " DESC");
  }
}
