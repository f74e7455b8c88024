package io.outbox.operate;

import java.time.Instant;
import java.util.Objects;

/**
 * An operator's action.
 *
 * @param id grows with time; 0 before it is written
 * @param what the action, one word
 * @param filter which events, or which listener
 * @param detail a reason or the like; may be null
 * @param count how many events were changed
 * @param finishedAt null while it runs, or if it never finished
 */
public record AuditEntry(
    long id,
    String who,
    String what,
    Instant at,
    String filter,
    String detail,
    long count,
    Instant finishedAt) {

  public AuditEntry {
    Objects.requireNonNull(who, "who");
    Objects.requireNonNull(what, "what");
    Objects.requireNonNull(at, "at");
    Objects.requireNonNull(filter, "filter");
  }
}
