package io.outbox.jdbc.archive;

/**
 * What a replay from an archive did.
 *
 * @param replayed how many events are pending again
 * @param present how many events were left alone, because the outbox table still has them, or has
 *     them again
 * @param next where another replay with the same filter continues; null if all events that match
 *     were looked at
 */
public record ArchiveReplay(long replayed, long present, String next) {

  /** False if it ended earlier, at its limit or because it was stopped. */
  public boolean finished() {
    return next == null;
  }
}
