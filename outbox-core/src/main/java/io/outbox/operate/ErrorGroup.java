package io.outbox.operate;

import java.util.Objects;

/**
 * Events that failed with the same error, apart from numbers and ids.
 *
 * @param error the first line of the newest, no more than {@value EventSummary#ERROR_LENGTH}
 *     characters
 * @param count among the rows that were looked at
 * @param example the newest event of them
 * @param pattern what their errors have in common; {@link EventFilter.Builder#errorPattern} finds
 *     all such events
 */
public record ErrorGroup(String error, int count, String example, String pattern) {

  public ErrorGroup {
    Objects.requireNonNull(error, "error");
    Objects.requireNonNull(example, "example");
    Objects.requireNonNull(pattern, "pattern");
  }
}
