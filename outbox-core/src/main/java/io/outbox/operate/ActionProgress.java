package io.outbox.operate;

/**
 * How far a bulk action is.
 *
 * @param changed how many events were changed
 * @param scanned how many rows were looked at for that
 * @param finished whether nothing is left to do; false at the end of an action that was stopped
 */
public record ActionProgress(long changed, long scanned, boolean finished) {

  ActionProgress plus(int newlyChanged, int newlyScanned, boolean nothingLeft) {
    return new ActionProgress(changed + newlyChanged, scanned + newlyScanned, nothingLeft);
  }

  /** Told after each batch. */
  @FunctionalInterface
  public interface Listener {

    /** Never stops the action. */
    Listener NONE = progress -> true;

    /** Whether to continue. */
    boolean onProgress(ActionProgress progress);
  }
}
