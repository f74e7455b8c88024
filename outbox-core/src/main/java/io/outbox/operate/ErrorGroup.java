package io.outbox.operate;

import java.util.Objects;

/**
 * Events that failed with the same words.
 *
 * @param error its first line, no more than {@value EventSummary#ERROR_LENGTH} characters
 * @param count among the rows that were looked at
 * @param example the newest event of them
 */
public record ErrorGroup(String error, int count, String example) {

  public ErrorGroup {
    Objects.requireNonNull(error, "error");
    Objects.requireNonNull(example, "example");
  }
}
